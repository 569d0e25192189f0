// State of a join and how entries change it. joins.ts decides when a join is complete.
import { invariant } from '@svc/shared/errors';
import type { DataOf, EntryOf } from './entries.ts';
import type { Arrival, AttemptState, JoinState, TurnState } from './state.ts';
import { openTurn } from './turns.ts';

/** Puts an arrival at its join: into the next activation, behind it when the source is there already, or among the late ones. */
export function arriveAtJoin(attempt: AttemptState, node: string, arrival: Arrival): void {
  const join = joinOf(attempt, node);
  if (join.late.has(arrival.source)) {
    if (arrival.message) join.lateMessages.push(arrival.message);
    else join.late.delete(arrival.source);
  } else if (join.arrivals.has(arrival.source)) join.overflow.push(arrival);
  else join.arrivals.set(arrival.source, arrival);
}

function joinOf(attempt: AttemptState, node: string): JoinState {
  const known = attempt.joins.get(node);
  if (known) return known;
  const join: JoinState = { node, arrivals: new Map(), announced: 0, overflow: [], late: new Set(), lateMessages: [] };
  attempt.joins.set(node, join);
  return join;
}

export function applyToJoin(
  attempt: AttemptState,
  entry: EntryOf<'message.skipped' | 'join.waiting' | 'join.skipped' | 'join.failed' | 'join.released'>,
): void {
  const join = joinOf(attempt, entry.data.node);
  switch (entry.type) {
    case 'message.skipped':
      return skipMessage(join, entry.data.message_id);
    case 'join.waiting':
      join.announced = [...join.arrivals.keys()].indexOf(entry.data.source) + 1;
      return;
    case 'join.skipped':
      return nextActivation(join);
    case 'join.failed': {
      const { attempt: _attempt, node: agent, retry_task: retryTask, ...failure } = entry.data;
      attempt.fatal = { agent, phase: 'DeadLetter', failure, retryTask };
      return;
    }
    case 'join.released':
      return release(attempt, join, entry.data);
  }
}

function skipMessage(join: JoinState, messageId: string): void {
  const message = join.lateMessages.find(({ id }) => id === messageId);
  invariant(message, `message ${messageId} is not late at ${join.node}`);
  join.lateMessages = join.lateMessages.filter((late) => late !== message);
  join.late.delete(message.from);
}

function release(attempt: AttemptState, join: JoinState, data: DataOf<'join.released'>): void {
  const arrivals = [...join.arrivals.values()].sort((a, b) => (a.source < b.source ? -1 : 1));
  join.late = new Set(data.sources.filter(({ state }) => state === 'pending').map(({ agent }) => agent));
  nextActivation(join);
  openTurn(attempt, {
    id: data.turn_id,
    agent: data.node,
    branchId: data.branch_id,
    depth: data.depth,
    inbox: arrivals.flatMap(({ message }) => message ?? []),
    failedSources: attempt.plan.join(data.node).onFailure === 'skip' ? [] : failedSources(arrivals),
  });
}

function failedSources(arrivals: readonly Arrival[]): TurnState['failedSources'] {
  return arrivals.flatMap(({ source, failure }) => (failure ? [{ agent: source, failure }] : []));
}

function nextActivation(join: JoinState): void {
  const waiting = join.overflow;
  join.arrivals = new Map();
  join.announced = 0;
  join.overflow = [];
  for (const arrival of waiting) {
    if (join.arrivals.has(arrival.source)) join.overflow.push(arrival);
    else join.arrivals.set(arrival.source, arrival);
  }
}
