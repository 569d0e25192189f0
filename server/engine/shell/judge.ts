// Has the pending calls of a run judged by governance, so that a decision and its consequences are one write. A call without a verdict is denied.
import { isUnavailable } from '@svc/shared/errors';
import type { StoreReader } from '../../store/store.ts';
import { LeaseLost } from '../../store/lease-lost.ts';
import { OutsideFirst } from '../../store/outside-first.ts';
import { WriteRace } from '../../store/write-race.ts';
import type { Logger } from '../../log/log.ts';
import { failureOfCall } from './call-failure.ts';
import type { DecideMoment } from '../core/decision.ts';
import type { Entry, Failure } from '../core/entries.ts';
import { settle, type Outcome } from '../core/settle.ts';
import type { RunState } from '../core/state.ts';
import type { CallRuling, PendingToolCall, PendingModelCall, PendingCall } from '../core/verdicts.ts';
import type { CallError, CallVerdict, Governance, ModelVerdict, RuleRef, ToolPort } from '../ports.ts';

export interface JudgeDeps {
  readonly governance: Governance;
  readonly tools: Pick<ToolPort, 'inputs' | 'canRun'>;
  readonly log: Logger;
}

export interface Judging {
  readonly judge: JudgeDeps;
  readonly reader: StoreReader;
  /** `reader` is a transaction: nothing but its own methods is awaited, and a slow check of inputs throws OutsideFirst. */
  readonly inTransaction?: boolean;
  /** Runs each round of questions; a shell that can wait for its store does so here. */
  readonly asking?: <T>(ask: () => Promise<T>) => Promise<T>;
}

/** Each round judges at least one call, and what was judged is recorded. */
const ROUNDS_MAX = 100_000;

/** Settles, judges the pending calls, and settles again. Throws the store's errors; `state` is then incomplete and unusable. */
export async function settleJudged(state: RunState, moment: DecideMoment, judging: Judging): Promise<Outcome> {
  const { asking } = judging;
  const verdicts = { calls: new Map<string, CallRuling>(), models: new Map<string, ModelVerdict>() };
  const entries: Entry[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const settled = settle(state, { ...moment, verdicts });
    entries.push(...settled.entries);
    const { decision } = settled;
    if (decision.kind !== 'judge') return { entries, decision };
    const ask = () => rule(judging, decision.pendingCalls);
    const { calls, models } = await (asking ?? ((once) => once()))(ask);
    for (const [key, ruling] of calls) verdicts.calls.set(key, ruling);
    for (const [key, verdict] of models) verdicts.models.set(key, verdict);
  }
  throw new Error(`the run still has calls to be judged after ${ROUNDS_MAX} rounds`);
}

interface Rulings {
  readonly calls: readonly (readonly [string, CallRuling])[];
  readonly models: readonly (readonly [string, ModelVerdict])[];
}

async function rule(judging: Judging, pendingCalls: readonly PendingCall[]): Promise<Rulings> {
  const { judge, reader } = judging;
  // Calls of one tool by one agent are one question: what a call is about to do is not part of it.
  const asked = new Map<string, Promise<CallVerdict>>();
  const verdictOf = (pending: PendingToolCall): Promise<CallVerdict> => {
    const { agent, tool } = pending.subject;
    const question = `${agent.namespace}/${agent.name} ${tool.ref}`;
    const known = asked.get(question) ?? judged(judge, denyCall, () => judge.governance.judgeCall(reader, pending.subject));
    asked.set(question, known);
    return known;
  };
  const callRuling = async (pending: PendingToolCall): Promise<readonly [string, CallRuling]> => {
    const failure = await misfit(judging, pending);
    if (failure) return [pending.key, { verdict: 'misfit', failure }];
    const verdict = await verdictOf(pending);
    if (verdict.verdict !== 'approval_required') return [pending.key, verdict];
    // A call that cannot be made gets no approval request.
    const unrunnable = await failing(judging, () => judge.tools.canRun(pending.tool, reader));
    return [pending.key, { ...verdict, unrunnable }];
  };
  const modelRuling = async ({ key, subject }: PendingModelCall): Promise<readonly [string, ModelVerdict]> => {
    return [key, await judged(judge, denyModel, () => judge.governance.judgeModel(reader, subject))];
  };
  const [calls, models] = await Promise.all([
    Promise.all(pendingCalls.flatMap((pending) => (pending.kind === 'call' ? callRuling(pending) : []))),
    Promise.all(pendingCalls.flatMap((pending) => (pending.kind === 'model' ? modelRuling(pending) : []))),
  ]);
  return { calls, models };
}

function misfit(judging: Judging, { tool, input }: PendingToolCall): Promise<Failure | undefined> {
  const { inputs } = judging.judge.tools;
  return failing(judging, async () => (judging.inTransaction ? inputs.checkNow(tool, input) : inputs.check(tool, input)));
}

/** A check that breaks lets nothing through either. */
async function failing({ judge: { log } }: Judging, check: () => Promise<CallError | undefined>): Promise<Failure | undefined> {
  try {
    const error = await check();
    return error && failureOfCall(log, error);
  } catch (error) {
    if (error instanceof OutsideFirst || isStoreTrouble(error)) throw error;
    return failureOfCall(log, error);
  }
}

/** Rethrows the error of an unavailable store, which the caller retries. Any other error denies. */
async function judged<V>({ log }: JudgeDeps, deny: V, ask: () => Promise<V>): Promise<V> {
  try {
    return await ask();
  } catch (error) {
    if (isStoreTrouble(error)) throw error;
    log.error({ err: error }, 'governance could not be read: denied');
    return deny;
  }
}

function isStoreTrouble(error: unknown): boolean {
  return error instanceof WriteRace || error instanceof LeaseLost || isUnavailable(error);
}

const UNREADABLE: RuleRef = { kind: 'default' };
const DENIED = {
  verdict: 'deny',
  reason: 'governance_unreadable',
  rule: UNREADABLE,
  findings: [],
} as const;
const denyCall: CallVerdict = {
  ...DENIED,
  code: 'permission_denied',
  message: 'the rules that govern this call could not be read, so it is denied; the server log says more',
};
const denyModel: ModelVerdict = {
  ...DENIED,
  code: 'policy_violation',
  message: 'the policies that govern this model call could not be read, so it is denied; the server log says more',
};
