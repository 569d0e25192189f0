// A ToolPort whose Tool `team/search` is a remote agent, for tests: real cards, real calls, loopback permitted.
import { createEgress } from '../../egress/create-egress.ts';
import type { CallProgress } from '../../engine/ports.ts';
import type { JsonObject } from '@svc/shared/json';
import { createAgentCalls } from '../../a2a/client/agent-calls.ts';
import { createAgentDirectory, type DirectoryOptions } from '../../a2a/client/directory.ts';
import { systemClock } from '../../clock.ts';
import { createToolPort } from '../../tools/create-tool-port.ts';
import { toolCall, toolDeps } from '../tool-deps.ts';

export interface AgentPortOptions extends Partial<Pick<DirectoryOptions, 'allowPrivate' | 'trustedKeys' | 'requireSigned' | 'clock'>> {
  /** Value of the Secret `token`. */
  readonly token?: string;
}

export interface AgentCallOptions {
  readonly a2a?: object;
  readonly input?: JsonObject;
  readonly signal?: AbortSignal;
  readonly auth?: object;
  readonly timeout?: string;
  readonly onProgress?: (progress: CallProgress) => void;
}

export function openAgentPort({
  allowPrivate = true,
  clock = systemClock,
  trustedKeys,
  requireSigned = false,
  token,
}: AgentPortOptions = {}) {
  const egress = createEgress();
  const guard = { egress, clock, allowPrivate, permittedBy: '--a2a-allow-private-endpoints' };
  const directory = createAgentDirectory({ ...guard, trustedKeys, requireSigned });
  const agents = createAgentCalls({ ...guard, directory });
  const deps = toolDeps();
  const secrets = token === undefined ? deps.secrets : { ...deps.secrets, resolveValue: () => Promise.resolve(token) };
  const port = createToolPort({ ...deps, secrets, egress, agents });
  return {
    directory,
    async call(url: string, options: AgentCallOptions = {}) {
      const { a2a, input = { message: 'hello' }, signal = new AbortController().signal, auth, timeout = '10s', onProgress } = options;
      const spec = { type: 'a2a', a2a: { agent_url: url, ...a2a }, runtime: { timeout }, ...(auth && { auth }) };
      const outcome = await port.invoke(toolCall(spec, { input }), { signal, ...(onProgress && { onProgress }) });
      return JSON.parse(outcome.output) as Record<string, any>;
    },
    async close() {
      await port.close();
      await agents.close();
      await egress.close();
    },
  };
}
