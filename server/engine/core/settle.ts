// Runs the rules until they ask for something from outside: all pure consequences of a fact, to be recorded together with it.
import { decide } from './decide.ts';
import type { DecideContext, Decision } from './decision.ts';
import type { Entry, Failure } from './entries.ts';
import { reduce } from './reduce.ts';
import { stepTag } from './scope.ts';
import type { RunState, TurnState } from './state.ts';

export interface Settled {
  /** Folded into the state already; they count only once they are recorded. */
  readonly entries: readonly Entry[];
  readonly decision: Exclude<Decision, { kind: 'record' }>;
}

export function settle(state: RunState, context: DecideContext): Settled {
  const entries: Entry[] = [];
  for (;;) {
    const decision = decide(state, context);
    if (decision.kind !== 'record') return { entries, decision };
    reduce(state, decision.entry);
    entries.push(decision.entry);
  }
}

const ASKS_BY_DEFAULT: ReadonlySet<unknown> = new Set(['high', 'critical']);

/**
 * Tool calls of a run taken over that were sent, have no result, and may not be sent again without a person's word.
 * Source: ARCHITECTURE section 3, DECISIONS section 9 "Tools".
 */
export function unknownOutcomes(state: RunState, at: number): Entry[] {
  const attempt = state.attempt;
  if (state.status !== 'running' || !attempt) return [];
  return [...attempt.turns.values()].flatMap((turn) =>
    openCalls(turn)
      .filter(({ call }) => mustAsk(attempt.snapshot.tools[call.request.name]?.spec))
      .map(({ call, step }): Entry => {
        const tag = { ...stepTag({ attempt, turn }, step), index: call.index, call_id: call.request.id, tool: call.request.name };
        const sent = { request_id: call.requestId, ...(call.input && { input: call.input }) };
        return { type: 'tool.failed', at, data: { ...tag, ...sent, ...unknown(call.request.name), latency_ms: 0 } };
      }),
  );
}

function openCalls(turn: TurnState) {
  const step = turn.step;
  return step ? step.calls.filter(({ phase }) => phase === 'requested').map((call) => ({ call, step })) : [];
}

function mustAsk(spec: Readonly<Record<string, unknown>> | undefined): boolean {
  const runtime = spec?.['runtime'] as { on_unknown_outcome?: string } | undefined;
  return runtime?.on_unknown_outcome === undefined ? ASKS_BY_DEFAULT.has(spec?.['risk_level']) : runtime.on_unknown_outcome === 'ask';
}

function unknown(tool: string): Failure {
  const message = `the call of ${tool} was sent before its worker was lost and its outcome is unknown; it is not sent again`;
  return { code: 'unknown_outcome', message, retryable: false };
}
