// The state of a run as canonical bytes with their SHA-256, and back. Equal states have equal bytes; a decoded state folds on as the encoded
// one would. Nothing is stored twice: agents come from the snapshot, the graph plan is computed from it, shared objects are named.
import { hash } from 'node:crypto';
import { invariant, ServiceError } from '@svc/shared/errors';
import { canonicalJson, type Json } from '@svc/shared/json';
import { graphPlan } from './graph-plan.ts';
import { STATE_MAX_BYTES } from './limits.ts';
import type { AttemptState, FinalOutput, JoinState, ReviewState, ReviewTrack, RunState, TurnState } from './state.ts';

/** Raised by a version that changes the form of the bytes; older ones are no longer read, newer ones are refused. */
export const STATE_VERSION = 1;

export interface EncodedState {
  readonly bytes: Uint8Array;
  /** Lower-case hex of the SHA-256 of the bytes. */
  readonly sha256: string;
}

/** Encoded state as a JSON value, for a record in JSON. */
export interface StateDocument {
  readonly document: Json;
  readonly sha256: string;
}

/** Throws `too_large` past STATE_MAX_BYTES. */
export function encodeState(state: RunState): EncodedState {
  const bytes = new TextEncoder().encode(canonicalJson({ version: STATE_VERSION, state: storedState(state) }));
  if (bytes.length > STATE_MAX_BYTES)
    throw new ServiceError('too_large', `the state of the run has ${bytes.length} bytes; at most ${STATE_MAX_BYTES} can be kept`);
  return { bytes, sha256: hashOf(bytes) };
}

export function encodeDocument(state: RunState): StateDocument {
  const { bytes, sha256 } = encodeState(state);
  return { document: JSON.parse(new TextDecoder().decode(bytes)) as Json, sha256 };
}

/** Throws `conflict`, as `decodeState`. */
export function decodeDocument({ document, sha256 }: StateDocument): RunState {
  return decodeState({ bytes: new TextEncoder().encode(canonicalJson(document)), sha256 });
}

/** Throws `conflict` for bytes that do not have this hash or that another version wrote. The caller owns the state. */
export function decodeState({ bytes, sha256 }: EncodedState): RunState {
  if (hashOf(bytes) !== sha256) throw new ServiceError('conflict', 'the stored state of the run does not match its hash; it was changed');
  const { version, state } = JSON.parse(new TextDecoder().decode(bytes)) as { version: number; state: StoredState };
  if (version !== STATE_VERSION)
    throw new ServiceError('conflict', `the stored state of the run has version ${version}; this program reads version ${STATE_VERSION}`);
  return restoredState(state);
}

const hashOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

/** A plain JSON value: a field that becomes a Map, a Set or a function is found by the compiler. */
type Plain<T> = T extends Json
  ? T
  : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ((...args: never[]) => unknown)
    ? never
    : T extends object
      ? { [K in keyof T]: Plain<T[K]> }
      : T;
const plain = <T>(value: T & Plain<T>): T => value;

type StoredState = ReturnType<typeof storedState>;
type StoredAttempt = ReturnType<typeof storedAttempt>;
type StoredTurn = ReturnType<typeof storedTurn>;
type StoredJoin = ReturnType<typeof storedJoin>;
type StoredTrack = ReturnType<typeof storedTrack>;
type StoredOutput = ReturnType<typeof storedOutput>;

// ---------------------------------------------------------------- to plain values

function storedState({ attempt, approvals, reviews, ...rest }: RunState) {
  return plain({
    ...rest,
    attempt: attempt && storedAttempt(attempt),
    approvals: [...approvals.values()],
    reviews: [...reviews.values()],
  });
}

function storedAttempt({ plan: _plan, children, parents, turns, joins, final, furthest, review, ...rest }: AttemptState) {
  const open = [...turns.values()];
  const kept = [final?.turn, furthest?.turn].filter((turn) => turn !== undefined).filter((turn) => turns.get(turn.id) !== turn);
  return plain({
    ...rest,
    children: sorted(children),
    ...(parents && { parents: sorted(parents) }),
    turns: open.map(storedTurn),
    // Turns that have ended and may be sent back to work.
    kept: [...new Set(kept)].map(storedTurn),
    joins: [...joins.values()].map(storedJoin),
    final: final && storedOutput(final),
    furthest: furthest && storedOutput(furthest),
    review: storedTrack(review),
  });
}

function storedTurn({ agent, review, succeededCalls, succeededTools, ...rest }: TurnState) {
  return plain({
    ...rest,
    agent: agent.name,
    review: storedTrack(review),
    succeededCalls: sorted(succeededCalls),
    succeededTools: [...succeededTools].sort(),
  });
}

function storedJoin({ arrivals, late, before, ...rest }: JoinState) {
  const turns = before && sorted(before).map(([source, ids]): [string, string[]] => [source, [...ids].sort()]);
  return plain({ ...rest, arrivals: [...arrivals.values()], late: [...late].sort(), ...(turns && { before: turns }) });
}

function storedTrack({ current, ...rest }: ReviewTrack) {
  return plain({ ...rest, current: current?.name });
}

function storedOutput({ turn, ...rest }: FinalOutput) {
  return plain({ ...rest, turn: turn?.id });
}

/** Entries of a map that is only looked up, in the order of their keys. */
function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

// ---------------------------------------------------------------- back

function restoredState({ attempt, approvals, reviews, ...rest }: StoredState): RunState {
  const known = new Map(reviews.map((review) => [review.name, review]));
  return {
    ...rest,
    attempt: attempt && restoredAttempt(attempt, known),
    approvals: new Map(approvals.map((approval) => [approval.name, approval])),
    reviews: known,
  };
}

type Reviews = ReadonlyMap<string, ReviewState>;

function restoredAttempt(stored: StoredAttempt, reviews: Reviews): AttemptState {
  const { kept, children, parents, turns, joins, final, furthest, review, ...rest } = stored;
  const restore = (turn: StoredTurn): [string, TurnState] => [turn.id, restoredTurn(turn, { snapshot: rest.snapshot, reviews })];
  const open = new Map(turns.map(restore));
  const known = new Map([...open, ...kept.map(restore)]);
  return {
    ...rest,
    plan: graphPlan(rest.snapshot),
    children: new Map(children),
    ...(parents && { parents: new Map(parents) }),
    turns: open,
    joins: new Map(joins.map((join) => [join.node, restoredJoin(join)])),
    final: final && restoredOutput(final, known),
    furthest: furthest && restoredOutput(furthest, known),
    review: restoredTrack(review, reviews),
  };
}

interface Definitions extends Pick<AttemptState, 'snapshot'> {
  readonly reviews: Reviews;
}

function restoredTurn({ agent: name, review, succeededCalls, succeededTools, ...rest }: StoredTurn, known: Definitions): TurnState {
  const agent = known.snapshot.agents[name];
  invariant(agent, `agent ${name} is not in the snapshot`);
  return {
    ...rest,
    agent,
    review: restoredTrack(review, known.reviews),
    succeededCalls: new Map(succeededCalls),
    succeededTools: new Set(succeededTools),
  };
}

function restoredJoin({ arrivals, late, before, ...rest }: StoredJoin): JoinState {
  const known = { arrivals: new Map(arrivals.map((arrival) => [arrival.source, arrival])), late: new Set(late) };
  return { ...rest, ...known, ...(before && { before: new Map(before.map(([source, ids]) => [source, new Set(ids)])) }) };
}

function restoredTrack({ current, ...rest }: StoredTrack, reviews: Reviews): ReviewTrack {
  const review = current === undefined ? undefined : reviews.get(current);
  invariant(current === undefined || review, `review ${String(current)} is not in the state`);
  return { ...rest, current: review };
}

function restoredOutput({ turn: id, ...rest }: StoredOutput, turns: ReadonlyMap<string, TurnState>): FinalOutput {
  const turn = id === undefined ? undefined : turns.get(id);
  invariant(id === undefined || turn, `turn ${String(id)} is not in the state`);
  return { ...rest, turn };
}
