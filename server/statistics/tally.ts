// Counts the runs in a stretch of the change log: per hour and namespace, per day and agent system. Pure. It counts the
// facts of the engine: the log has one for each transition, after the new state of the Task.
import { roundUsd } from '@svc/shared/money';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { activeMs, taskOutcome } from '@svc/shared/kinds/task/outcome';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { parseRef, type ResourceKey } from '@svc/shared/resource';
import type { Change, Fact, StoredObject } from '../store/store.ts';
import { addHistograms, withDuration } from './histogram.ts';
import type { Histogram } from './histogram.ts';

/** Counts of one hour, or of one day of an agent system. */
export interface Tally {
  readonly started: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly deadLettered: number;
  readonly cancelled: number;
  /** Absent in counts that are older than it: those are among the failed. */
  readonly denied?: number;
  readonly tokens: number;
  /** Cost of the calls whose price is known. Absent in counts that are older than cost accounting. */
  readonly costUsd?: number;
  /** Runs that ended and whose cost is not known in full. */
  readonly unpricedRuns?: number;
  readonly durations: Histogram;
  /** End of the newest of these runs; kept for agent systems only. */
  readonly lastEndedAt?: string;
  /** Start of the newest of these runs; absent in counts that are older than it. */
  readonly lastStartedAt?: string;
}

export const EMPTY_TALLY: Tally = { started: 0, succeeded: 0, failed: 0, deadLettered: 0, cancelled: 0, tokens: 0, durations: {} };

/** The scope of all namespaces together; no namespace is called so. */
export const ALL_NAMESPACES = '*';

/** `2026-01-02T03`: an hour, in UTC, of a timestamp. */
export function hourOf(timestamp: string): string {
  return timestamp.slice(0, 13);
}

/** `2026-01-02`: a day, in UTC, of a timestamp. */
export function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/** The scope of one agent system, whose counts are kept per day; no namespace is called so. */
export function scopeOfSystem({ namespace, name }: Pick<ResourceKey, 'namespace' | 'name'>): string {
  return `${namespace}:${name}`;
}

/** The id of an hour's counts: those of one scope are a range, in order of time. */
export function tallyId(scope: string, hour: string): string {
  return `${scope}/${hour}`;
}

export function addTallies(a: Tally, b: Tally): Tally {
  return {
    started: a.started + b.started,
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    deadLettered: a.deadLettered + b.deadLettered,
    cancelled: a.cancelled + b.cancelled,
    denied: (a.denied ?? 0) + (b.denied ?? 0),
    tokens: a.tokens + b.tokens,
    ...addCosts(a, b),
    durations: addHistograms(a.durations, b.durations),
    ...newest('lastEndedAt', a, b),
    ...newest('lastStartedAt', a, b),
  };
}

function newest(field: 'lastEndedAt' | 'lastStartedAt', a: Tally, b: Tally): Partial<Tally> {
  const last = [a[field], b[field]]
    .flatMap((at) => at ?? [])
    .sort()
    .at(-1);
  return last === undefined ? {} : { [field]: last };
}

/** Counts of before costs were counted say of none of their runs what it cost. */
export function costsOf(tally: Tally): Required<Pick<Tally, 'costUsd' | 'unpricedRuns'>> {
  const { costUsd = 0, unpricedRuns, tokens, succeeded, failed, deadLettered, cancelled, denied = 0 } = tally;
  const ended = succeeded + failed + deadLettered + cancelled + denied;
  return { costUsd, unpricedRuns: unpricedRuns ?? (tokens > 0 ? ended : 0) };
}

function addCosts(a: Tally, b: Tally): Pick<Tally, 'costUsd' | 'unpricedRuns'> {
  const [one, other] = [costsOf(a), costsOf(b)];
  return { costUsd: roundUsd(one.costUsd + other.costUsd), unpricedRuns: one.unpricedRuns + other.unpricedRuns };
}

const ENDS = {
  'task.succeeded': 'succeeded',
  'task.failed': 'failed',
  'task.deadletter': 'deadLettered',
  'task.cancelled': 'cancelled',
} as const satisfies Readonly<Record<string, keyof Tally>>;

/** Facts to count whose Task's state is not before them in `changes`: the first one of each Task. */
export function factsWithoutState(changes: readonly Change[]): Change[] {
  const seen = new Set<string>();
  return changes.filter((change) => {
    const { fact, object } = change;
    if (seen.has(nameOf(change)) || (!object && !isCounted(fact))) return false;
    seen.add(nameOf(change));
    return !object;
  });
}

/** Counts the facts, by tally id. `changes` are Tasks' changes in order; `before` are states of Tasks from before the first of them. */
export function tallyChanges(changes: readonly Change[], before: readonly StoredObject[]): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  const states = new Map(before.map((task) => [nameOf(task), task]));
  for (const change of changes) {
    const state = states.get(nameOf(change));
    const tally = tallyOf(change, state);
    if (tally) {
      const hour = hourOf(change.timestamp);
      const add = (id: string, more: Tally) => tallies.set(id, addTallies(tallies.get(id) ?? EMPTY_TALLY, more));
      add(tallyId(change.namespace, hour), tally);
      add(tallyId(ALL_NAMESPACES, hour), tally);
      const scope = state && scopeOf(state);
      if (scope !== undefined)
        add(tallyId(scope, dayOf(change.timestamp)), { ...tally, [tally.started > 0 ? 'lastStartedAt' : 'lastEndedAt']: change.timestamp });
    }
    if (change.object) states.set(nameOf(change), change.object);
  }
  return tallies;
}

const nameOf = ({ namespace, name }: Pick<ResourceKey, 'namespace' | 'name'>): string => `${namespace}/${name}`;

/** The agent system that a Task runs. */
function scopeOf(task: StoredObject): string | undefined {
  const { system } = specOf('Task', task);
  return system ? scopeOfSystem(parseRef(system, task.namespace)) : undefined;
}

/** A transition of a run that may change a count. */
function isCounted(fact: Fact | undefined): fact is Fact {
  return fact?.source === 'engine' && (fact.type === 'task.claimed' || Object.hasOwn(ENDS, fact.type));
}

function tallyOf({ fact }: Change, task: StoredObject | undefined): Tally | undefined {
  if (!isCounted(fact) || (task && statusOf('Task', task).trial === 'true')) return undefined;
  // A Task is claimed many times; its first attempt begins in the write of one claim.
  if (fact.type === 'task.claimed') {
    const startedAt = task && statusOf('Task', task).startedAt;
    return startedAt !== undefined && startedAt === task?.updatedAt ? { ...EMPTY_TALLY, started: 1 } : undefined;
  }
  const end = endOf(fact);
  return end && { ...EMPTY_TALLY, [end]: 1, ...metricsOf(task), ...costOf(fact) };
}

/** A run that a person denied did not fail. */
function endOf({ type, data }: Fact): keyof Tally | undefined {
  const end = ENDS[type as keyof typeof ENDS] as (typeof ENDS)[keyof typeof ENDS] | undefined;
  const reason = data?.['reason'];
  return end !== undefined && taskOutcome({ phase: 'Failed', reason: String(reason) }) === 'Denied' ? 'denied' : end;
}

/** A fact of before costs were recorded says nothing of them, and the run counts as one of unknown cost if it used tokens. */
function costOf({ data = {} }: Fact): Pick<Tally, 'costUsd' | 'unpricedRuns'> {
  const { cost_usd: cost, unpriced_calls: unpriced } = data;
  if (typeof cost !== 'number' || !(cost >= 0)) return {};
  return { costUsd: cost, unpricedRuns: unpriced === 0 ? 0 : 1 };
}

/** The state is missing when the log was pruned between it and the fact. */
function metricsOf(task: StoredObject | undefined): Pick<Tally, 'tokens' | 'durations'> {
  const status = task && statusOf('Task', task);
  const { tokens = 0 } = runOutput(status?.output);
  const ms = status?.completedAt === undefined ? undefined : activeMs(status, Date.parse(status.completedAt));
  return { tokens, durations: ms === undefined ? {} : withDuration({}, ms) };
}
