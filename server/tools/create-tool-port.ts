// The one ToolPort: the pipeline of a tool call, from the runtime that is to run it to the outcome that is recorded.
import { endsWithin } from '../clock.ts';
import type { CallOptions, CallProgress, ToolCheck, ToolInvocation, ToolOutcome, ToolPort } from '../engine/ports.ts';
import { attemptCall } from './attempts.ts';
import { cleanError, cleanOutcome, cleanProgress } from './clean-outcome.ts';
import { checkDecision, type ApprovedCalls } from './decision-check.ts';
import { createTokenCache } from './oauth-tokens.ts';
import { resolveRuntime } from './resolve-runtime.ts';
import { PERMITTED_BY, toolTitle, type RuntimeDeps, type ToolCall } from './runtime.ts';
import { createRuntimes } from './runtimes.ts';

/** How long aborted calls may take to end their containers and processes; what is left then is swept by another process. */
const ENDING_MAX_MS = 8_000;

export interface ToolPortOptions extends Omit<RuntimeDeps, 'permittedBy'> {
  readonly decisions: ApprovedCalls;
  readonly canRun: ToolCheck;
}

export interface ClosableToolPort extends ToolPort {
  /** Waits until calls that were aborted have ended what they started, then closes what runtimes keep open. No other call may be in flight. Idempotent. */
  close(): Promise<void>;
}

/**
 * resolve → input → decision → secrets, egress, isolation, execute with timeout and retry → redact and cap.
 * Authorisation, approval and the duplicate policy come before it, in the engine; the journal after it.
 */
export function createToolPort({ decisions, canRun, ...options }: ToolPortOptions): ClosableToolPort {
  const deps: RuntimeDeps = { ...options, permittedBy: PERMITTED_BY };
  const { inputs, egress, clock, random, secrets, config } = deps;
  const tokens = createTokenCache({ egress, clock, allowPrivate: config.allowPrivateEndpoints, permittedBy: PERMITTED_BY });
  const runtimes = createRuntimes(deps);

  const invoke = async (call: ToolCall, concealed: ReadonlySet<string>): Promise<ToolOutcome> => {
    const runtime = resolveRuntime(call.tool, runtimes);
    const misfit = await inputs.check(call.tool, call.input);
    if (misfit) throw misfit;
    await checkDecision(call, decisions);
    const attempted = await attemptCall({ secrets, tokens, clock, random }, call, runtime);
    return cleanOutcome(attempted, { secrets: concealed, title: toolTitle(call.tool) });
  };

  const underWay = new Set<Promise<unknown>>();

  return {
    async invoke(invocation, callOptions) {
      const concealed = new Set<string>();
      const outcome = invoke(toCall(invocation, callOptions, concealed), concealed);
      underWay.add(outcome);
      try {
        return await outcome;
      } catch (error) {
        throw cleanError(error, concealed);
      } finally {
        underWay.delete(outcome);
      }
    },
    inputs,
    canRun,
    async close() {
      if (underWay.size > 0) await endsWithin(Promise.allSettled(underWay), { clock, ms: ENDING_MAX_MS });
      await Promise.all([...runtimes.byType.values(), runtimes.contained].flatMap((runtime) => (runtime.close ? [runtime.close()] : [])));
    },
  };
}

function toCall(invocation: ToolInvocation, { signal, onProgress }: CallOptions, concealed: Set<string>): ToolCall {
  const conceal = (values: readonly string[]) => values.forEach((value) => concealed.add(value));
  const report = (progress: CallProgress) => onProgress?.(cleanProgress(progress, concealed));
  return { ...invocation, signal, conceal, ...(onProgress && { onProgress: report }) };
}
