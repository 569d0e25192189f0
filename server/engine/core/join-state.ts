// State of a join and how entries change it. joins.ts decides when a join is complete.
import { invariant } from '@svc/shared/errors';
import type { DataOf, EntryOf } from './entries.ts';
import type { Arrival, AttemptState, JoinState, TurnState } from './state.ts';
import { openTurn } from './turns.ts';

/** Place and origin of an arrival: the join, and the turn whose message or failure it is. */
interface Way {
  readonly node: string;
  readonly turnId: string;
}

/** Puts an arrival at its join: into the next activation, into the one after it when the source has already arrived, or among the late ones. */
export function arriveAtJoin(attempt: AttemptState, { node, turnId }: Way, arrival: Arrival): void {
  const join = joinOf(attempt, node);
  if (isLate(join, arrival.source, turnId)) {
    if (arrival.message) join.lateMessages.push(arrival.message);
    else leaveLate(join, arrival.source);
  } else if (join.arrivals.has(arrival.source)) join.overflow.push(arrival);
  else join.arrivals.set(arrival.source, arrival);
}

/** Whether the join was released without waiting for this turn of the source. */
export function isLate({ late, before }: JoinState, source: string, turnId: string): boolean {
  return late.has(source) && before?.get(source)?.has(turnId) !== false;
}

/** Several turns of a source in a cycle may be late, any other is late once. */
function leaveLate({ late, before }: JoinState, source: string): void {
  if (!before?.has(source)) late.delete(source);
}

/** A turn has ended: its messages take its place in the rounds of joins. */
export function followTurn(attempt: AttemptState, turnId: string, messageIds: readonly string[]): void {
  for (const turns of roundsOf(attempt)) if (turns.delete(turnId)) for (const id of messageIds) turns.add(id);
}

function roundsOf({ joins }: AttemptState): Set<string>[] {
  return [...joins.values()].flatMap(({ before }) => [...(before?.values() ?? [])]);
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
      for (const turns of roundsOf(attempt)) turns.delete(entry.data.message_id);
      return skipMessage(join, entry.data.message_id);
    case 'join.waiting':
      join.announced = [...join.arrivals.keys()].indexOf(entry.data.source) + 1;
      return;
    case 'join.skipped':
      return nextActivation(join);
    case 'join.failed': {
      const { attempt: _attempt, node, retry_task: retryTask, ...failure } = entry.data;
      const failed = [...join.arrivals.values()].find((arrival) => arrival.failure);
      attempt.fatal = { agent: failed?.source ?? node, phase: 'DeadLetter', failure, retryTask };
      return;
    }
    case 'join.released':
      return release(attempt, join, entry.data);
  }
}

function skipMessage(join: JoinState, messageId: string): void {
  const held = [...join.arrivals.values(), ...join.overflow].find(({ message }) => message?.id === messageId);
  const message = join.lateMessages.find(({ id }) => id === messageId) ?? held?.message;
  invariant(message, `message ${messageId} is not at ${join.node}`);
  join.lateMessages = join.lateMessages.filter((late) => late !== message);
  leaveLate(join, message.from);
  // Journals of earlier versions also skip messages of the next round.
  if (held === undefined) return;
  join.overflow = join.overflow.filter((arrival) => arrival !== held);
  if (join.arrivals.get(held.source) === held) join.arrivals.delete(held.source);
}

function release(attempt: AttemptState, join: JoinState, data: DataOf<'join.released'>): void {
  const arrivals = [...join.arrivals.values()].sort((a, b) => (a.source < b.source ? -1 : 1));
  nextActivation(join);
  followRelease(attempt, data);
  leaveBehind(attempt, join, data);
  openTurn(attempt, {
    id: data.turn_id,
    agent: data.node,
    branchId: data.branch_id,
    depth: data.depth,
    inbox: arrivals.flatMap(({ message }) => message ?? []),
    failedSources: attempt.plan.join(data.node).onFailure === 'skip' ? [] : failedSources(arrivals),
  });
}

/** The released turn is of an earlier round where all its messages are. */
function followRelease(attempt: AttemptState, { turn_id, message_ids }: DataOf<'join.released'>): void {
  for (const turns of roundsOf(attempt)) {
    if (message_ids.length > 0 && message_ids.every((id) => turns.has(id))) turns.add(turn_id);
    for (const id of message_ids) turns.delete(id);
  }
}

/** Marks the sources that the release does not wait for as late, besides those of earlier rounds that are still in flight. */
function leaveBehind(attempt: AttemptState, join: JoinState, { sources }: DataOf<'join.released'>): void {
  const pending = sources.filter(({ state }) => state === 'pending').map(({ agent }) => agent);
  const earlier = [...(join.before ?? [])].filter(([source, turns]) => turns.size > 0 && !pending.includes(source));
  const again = pending.filter((source) => leadsBack(attempt, join.node, source));
  join.late = new Set([...pending, ...earlier.map(([source]) => source)]);
  join.before = new Map([...earlier, ...again.map((source): [string, Set<string>] => [source, inFlight(attempt)])]);
  if (join.before.size === 0) delete join.before;
}

/** Whether what the node sends may come to the source again. */
function leadsBack({ plan }: AttemptState, node: string, source: string): boolean {
  return plan.routes(node).some(({ to }) => plan.mayReach(node, source, to));
}

/** Turns in flight, and messages that joins hold. */
function inFlight(attempt: AttemptState): Set<string> {
  const held = [...attempt.joins.values()].flatMap(({ arrivals, overflow }) => [...arrivals.values(), ...overflow]);
  return new Set([...attempt.turns.keys(), ...held.flatMap(({ message }) => message?.id ?? [])]);
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
