// Verdict on a join: wait, release its agent, skip it, or fail (docs/systems.md "Joins").
import { sourcesNeeded } from '@svc/shared/graph/graph';
import type { Failure, JoinSource } from './entries.ts';
import type { GraphPlan } from './graph-plan.ts';
import { isLate } from './join-state.ts';
import type { JoinPolicy } from './snapshot.ts';
import type { AttemptState, JoinState, TurnState } from './state.ts';

export type JoinVerdict =
  | { readonly kind: 'wait'; readonly count: JoinCount }
  | { readonly kind: 'release'; readonly count: JoinCount }
  | { readonly kind: 'skip'; readonly count: JoinCount }
  | { readonly kind: 'fail'; readonly count: JoinCount; readonly failure: Failure };

interface JoinCount {
  readonly sources: readonly JoinSource[];
  readonly expected: number;
  readonly required: number;
}

/** Nodes where something of this attempt still is: turns in flight, but for one that ends, and joins that hold arrivals. */
export function livePlaces(attempt: AttemptState, ending?: TurnState): Set<string> {
  const places = new Set<string>();
  for (const turn of attempt.turns.values()) if (turn !== ending) places.add(turn.agent.name);
  for (const join of attempt.joins.values()) if (join.arrivals.size > 0) places.add(join.node);
  return places;
}

/** `places`: where something is that may still come to the sources of the join. */
export function judgeJoin({ plan }: AttemptState, join: JudgedJoin, places: ReadonlySet<string>): JoinVerdict {
  const policy = plan.join(join.node);
  return verdict(join, policy, countSources({ plan, join, policy, places }));
}

/** Whether the failure of a turn would fail the join `node`, which it feeds. */
export function wouldFailJoin(attempt: AttemptState, node: string, { turn, failure }: { turn: TurnState; failure: Failure }): boolean {
  const source = turn.agent.name;
  const join = attempt.joins.get(node);
  if (join && isLate(join, source, turn.id)) return false;
  const arrivals = new Map(join?.arrivals);
  arrivals.set(source, { source, branchId: turn.branchId, depth: turn.depth + 1, message: undefined, failure });
  return judgeJoin(attempt, { node, arrivals }, livePlaces(attempt, turn)).kind === 'fail';
}

type JudgedJoin = Pick<JoinState, 'node' | 'arrivals'>;

interface Counting {
  readonly plan: GraphPlan;
  readonly join: JudgedJoin;
  readonly policy: JoinPolicy;
  readonly places: ReadonlySet<string>;
}

function countSources({ plan, join, policy, places }: Counting): JoinCount {
  const sources = plan.sources(join.node).map((agent): JoinSource => {
    const arrival = join.arrivals.get(agent);
    if (arrival) {
      const message = arrival.message && { message_id: arrival.message.id };
      return { agent, state: arrival.failure ? 'failed' : 'arrived', branch_id: arrival.branchId, ...message };
    }
    const pending = [...places].some((place) => plan.mayReach(join.node, agent, place));
    return { agent, state: pending ? 'pending' : 'left_out' };
  });
  const counted = sources.filter(({ state }) => state !== 'left_out' && !(state === 'failed' && policy.onFailure === 'skip'));
  return { sources, expected: counted.length, required: requiredOf(policy, counted.length) };
}

/** How many sources must have arrived. */
export function requiredOf(policy: JoinPolicy, expected: number): number {
  return sourcesNeeded({ mode: policy.mode, quorum_count: policy.quorumCount, quorum_percent: policy.quorumPercent }, expected);
}

function verdict(join: JudgedJoin, policy: JoinPolicy, count: JoinCount): JoinVerdict {
  const tally = (wanted: JoinSource['state']) => count.sources.filter(({ state }) => state === wanted).length;
  const arrived = tally('arrived');
  const pending = tally('pending');
  const failure = [...join.arrivals.values()].find((arrival) => arrival.failure)?.failure;
  if (count.expected === 0) return { kind: 'skip', count };
  // Once a source has failed, `continue_partial` runs the node when all have settled, even where a quorum is met before.
  const settling = failure !== undefined && policy.onFailure === 'continue_partial' && pending > 0;
  if (arrived >= count.required && !settling) return { kind: 'release', count };
  if (failure && policy.onFailure === 'deadletter' && arrived + pending < count.required) return { kind: 'fail', count, failure };
  if (pending > 0) return { kind: 'wait', count };
  return { kind: 'release', count };
}
