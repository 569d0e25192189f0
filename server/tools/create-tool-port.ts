// The one ToolPort: the pipeline of a tool call, from the runtime that is to run it to the outcome that is recorded. Source: ARCHITECTURE section 5.
import type { CallOptions, ToolInvocation, ToolOutcome, ToolPort } from '../engine/ports.ts';
import { attemptCall } from './attempts.ts';
import { cleanError, cleanOutcome } from './clean-outcome.ts';
import { checkDecision, type ApprovedCalls } from './decision-check.ts';
import { createInputCheck } from './input-check.ts';
import { createTokenCache } from './oauth-tokens.ts';
import { resolveRuntime } from './resolve-runtime.ts';
import { toolTitle, type RuntimeDeps, type ToolCall } from './runtime.ts';
import { createRuntimes } from './runtimes.ts';

const PERMITTED_BY = 'the server option --allow-private-tool-endpoints';

export interface ToolPortOptions extends Omit<RuntimeDeps, 'permittedBy'> {
  readonly decisions: ApprovedCalls;
}

export interface ClosableToolPort extends ToolPort {
  /** Closes what runtimes keep open. No call may be under way. Idempotent. */
  close(): Promise<void>;
}

/**
 * resolve → input → decision → secrets, egress, isolation, execute with timeout and retry → redact and cap.
 * Authorisation, approval and the duplicate policy come before it, in the engine; the journal after it.
 */
export function createToolPort({ decisions, ...options }: ToolPortOptions): ClosableToolPort {
  const deps: RuntimeDeps = { ...options, permittedBy: PERMITTED_BY };
  const { egress, clock, random, secrets, config } = deps;
  const tokens = createTokenCache({ egress, clock, allowPrivate: config.allowPrivateEndpoints, permittedBy: PERMITTED_BY });
  const runtimes = createRuntimes(deps);
  const checkInput = createInputCheck();

  const invoke = async (call: ToolCall, concealed: ReadonlySet<string>): Promise<ToolOutcome> => {
    const runtime = resolveRuntime(call.tool, runtimes);
    const misfit = checkInput(call.tool, call.input);
    if (misfit) throw misfit;
    await checkDecision(call, decisions);
    const attempted = await attemptCall({ secrets, tokens, clock, random }, call, runtime);
    return cleanOutcome(attempted, { secrets: concealed, title: toolTitle(call.tool) });
  };

  return {
    async invoke(invocation, callOptions) {
      const concealed = new Set<string>();
      try {
        return await invoke(toCall(invocation, callOptions, concealed), concealed);
      } catch (error) {
        throw cleanError(error, concealed);
      }
    },
    checkInput,
    async close() {
      await Promise.all([...runtimes.byType.values(), runtimes.contained].flatMap((runtime) => (runtime.close ? [runtime.close()] : [])));
    },
  };
}

function toCall(invocation: ToolInvocation, { signal, onProgress }: CallOptions, concealed: Set<string>): ToolCall {
  const conceal = (values: readonly string[]) => values.forEach((value) => concealed.add(value));
  return { ...invocation, signal, conceal, ...(onProgress && { onProgress }) };
}
