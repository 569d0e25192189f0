// Metric state of a run that the folded state drops once a turn or an attempt has ended. Seeded from the state, so that a run taken over
// from another worker is known as well; it goes away with the state it belongs to.
import { ROUTE_TOOL } from '@svc/shared/kinds/tool/built-in';
import type { Entry } from '../engine/core/entries.ts';
import type { RunState } from '../engine/core/state.ts';

type RunSnapshot = NonNullable<RunState['attempt']>['snapshot'];

/** One try of a turn that is in flight. */
export interface TryMemory {
  readonly agent: string;
  readonly branchId: string;
  readonly messageAttempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The TaskApproval by which the finished turn was sent back, when it is in flight once more. */
  readonly sentBackBy?: string;
}

export interface RunMemory {
  /** Number of the last attempt; undefined when none has started. */
  snapshot: RunSnapshot | undefined;
  attempt: number;
  /** Tries that have started and not ended, by turn id. */
  readonly tries: Map<string, TryMemory>;
}

/** Gives each run's memory. A state seen for the first time, with the entries it has just folded, is read for what is in flight. */
export function createRunMemories(): (state: RunState, entries: readonly Entry[]) => RunMemory {
  const memories = new WeakMap<RunState, RunMemory>();
  return (state, entries) => {
    const known = memories.get(state);
    if (known) return known;
    const seeded = seed(state, entries);
    memories.set(state, seeded);
    return seeded;
  };
}

function seed({ attempt, attempts }: RunState, entries: readonly Entry[]): RunMemory {
  const tries = new Map<string, TryMemory>();
  for (const turn of attempt?.turns.values() ?? []) {
    if (turn.phase !== 'active') continue;
    const { agent, branchId, messageAttempt, startedAt } = turn;
    tries.set(turn.id, { agent: agent.name, branchId, messageAttempt, startedAt });
  }
  const since = entries[0]?.at ?? 0;
  for (const entry of entries) {
    if (entry.type !== 'agent.completed' && entry.type !== 'agent.failed') continue;
    const { turn_id, agent, branch_id: branchId } = entry.data;
    const messageAttempt = entry.type === 'agent.failed' ? entry.data.message_attempt : 1;
    // A turn that another worker began and that has left the state already: its start is no longer known.
    if (!tries.has(turn_id)) tries.set(turn_id, { agent, branchId, messageAttempt, startedAt: since });
  }
  return { snapshot: attempt?.snapshot, attempt: attempts, tries };
}

/** Takes in what an entry begins. What entries end stays until `forget`, so that they can still be described. */
export function remember(memory: RunMemory, entry: Entry): void {
  if (entry.type === 'run.started') {
    memory.snapshot = entry.data.snapshot;
    memory.attempt = entry.data.attempt;
    memory.tries.clear();
  }
  if (entry.type === 'agent.started') {
    const { turn_id, agent, branch_id: branchId, message_attempt: messageAttempt } = entry.data;
    memory.tries.set(turn_id, { agent, branchId, messageAttempt, startedAt: entry.at });
  }
  if (entry.type === 'review.resolved' && entry.data.decision === 'request_changes') {
    const { turn_id, agent, branch_id: branchId, name: sentBackBy } = entry.data;
    // Only the output of a whole task comes from a turn that has ended.
    if (!memory.tries.has(turn_id)) memory.tries.set(turn_id, { agent, branchId, messageAttempt: 1, startedAt: entry.at, sentBackBy });
  }
}

/** Drops what an entry ended. */
export function forget(memory: RunMemory, entry: Entry): void {
  if (entry.type === 'agent.completed' || entry.type === 'agent.failed') memory.tries.delete(entry.data.turn_id);
  if (entry.type === 'run.retry_scheduled' || entry.type === 'run.completed' || entry.type === 'run.failed') memory.tries.clear();
}

export interface ModelNames {
  readonly provider: string;
  /** Absent when the endpoint leaves the choice to the provider. */
  readonly model: string | undefined;
}

const UNKNOWN_MODEL: ModelNames = { provider: 'unknown', model: undefined };

/** The model that an agent calls. */
export function modelOf({ snapshot }: RunMemory, agent: string): ModelNames {
  const endpoint = snapshot?.models[snapshot.agents[agent]?.model ?? ''];
  return endpoint ? { provider: endpoint.spec.provider, model: endpoint.spec.default_model } : UNKNOWN_MODEL;
}

/** The tool's name when the run has such a tool; a model may ask for one by any name at all. */
export function toolOf({ snapshot }: RunMemory, tool: string): string {
  return snapshot && !Object.hasOwn(snapshot.tools, tool) && tool !== ROUTE_TOOL ? 'unknown' : tool;
}
