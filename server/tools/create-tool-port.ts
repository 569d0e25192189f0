// The one ToolPort: checks the input, then hands the call to the runtime of the tool's type. Adding a type is one runtime and one line here.
import type { Clock } from '../clock.ts';
import type { Egress } from '../egress/egress.ts';
import { CallError, type ToolPort, type ToolRef } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { createHttpToolRuntime } from './http/http-tool.ts';
import { createInputCheck } from './input-check.ts';
import { createTokenCache } from './oauth-tokens.ts';
import { toolTitle, type ToolRuntime } from './runtime.ts';

const PERMITTED_BY = 'the server option --allow-private-tool-endpoints';

export interface ToolPortOptions {
  readonly secrets: SecretResolver;
  readonly egress: Egress;
  readonly clock: Clock;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
  /** The operator's `--allow-private-tool-endpoints`. */
  readonly allowPrivateEndpoints: boolean;
}

export function createToolPort({ secrets, egress, clock, random, allowPrivateEndpoints }: ToolPortOptions): ToolPort {
  const outbound = { egress, clock, allowPrivate: allowPrivateEndpoints, permittedBy: PERMITTED_BY };
  const adapters = [createHttpToolRuntime({ ...outbound, secrets, random, tokens: createTokenCache(outbound) })];
  const runtimes = new Map<string, ToolRuntime>(adapters.map((adapter) => [adapter.type, adapter]));
  const checkInput = createInputCheck();
  return {
    async invoke(call, { signal }) {
      const type = typeOf(call.tool);
      const runtime = runtimes.get(type);
      if (!runtime) throw unsupported(call.tool, type, [...runtimes.keys()]);
      const misfit = checkInput(call.tool, call.input);
      if (misfit) throw misfit;
      return runtime.run({ ...call, signal });
    },
    checkInput,
  };
}

function typeOf({ spec }: ToolRef): string {
  return typeof spec['type'] === 'string' && spec['type'] !== '' ? spec['type'] : 'http';
}

function unsupported(tool: ToolRef, type: string, runs: readonly string[]): CallError {
  const message = `${toolTitle(tool)} has type "${type}", which this server does not run; it runs ${runs.join(', ')}`;
  return new CallError('unsupported_tool', message, { retryable: false, reason: 'unsupported_type' });
}
