// A run that begins with the state of another one, as it was at a safe point: the entry that records this, and its folded state.
import { invariant } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import { loseCalls } from './call-state.ts';
import type { DataOf, EntryOf } from './entries.ts';
import type { AgentSnapshot, RunSnapshot } from './snapshot.ts';
import { decodeDocument, decodeState, encodeDocument, type EncodedState } from './state-codec.ts';
import { newRunState, type AttemptState, type CallState, type RunState, type TurnState } from './state.ts';
import { newTrack } from './turns.ts';

export interface NewHome {
  /** Definitions as the new run finds them: its Task, and agents and models with what was overridden. */
  readonly snapshot: RunSnapshot;
  readonly overrides: { readonly model?: object | undefined; readonly prompt?: object | undefined };
  readonly at: number;
}

/** Throws `conflict` for a state that does not have its hash. */
export function restoredEntry(
  { checkpointId, encoded }: { readonly checkpointId: string; readonly encoded: EncodedState },
  home: NewHome,
): EntryOf<'run.restored'> {
  const state = moved(decodeState(encoded), home);
  const { document, sha256 } = encodeDocument(state);
  const data = { attempt: state.attempts, checkpoint_id: checkpointId, state: document as JsonObject, state_hash: sha256 };
  return { type: 'run.restored', at: home.at, data };
}

/** Definitions of the run, as its first entry froze them. */
export function restoredSnapshot({ state }: DataOf<'run.restored'>): RunSnapshot {
  return (state as unknown as { readonly state: { readonly attempt: { readonly snapshot: RunSnapshot } } }).state.attempt.snapshot;
}

export function restoreRun(state: RunState, { data }: EntryOf<'run.restored'>): void {
  invariant(state.status === 'new', 'a run that has begun cannot be restored');
  Object.assign(state, decodeDocument({ document: data.state, sha256: data.state_hash }));
}

/** The new run has its own budgets, requests its own approvals, and sends calls that were in flight again. */
function moved(state: RunState, { snapshot, overrides, at }: NewHome): RunState {
  const { attempt } = state;
  invariant(attempt, 'a state without an attempt has nothing to continue');
  const names = new Set([...Object.keys(overrides.model ?? {}), ...Object.keys(overrides.prompt ?? {})]);
  const changed = Object.fromEntries(Object.entries(snapshot.agents).filter(([name]) => names.has(name)));
  const agents = { ...attempt.snapshot.agents, ...changed };
  const { conversation: _, ...home } = snapshot.task;
  // The graph is that of the state, and so is its limit: the system may have lost its loop, and the new Task its limit with it.
  const { conversation, maxTurns } = attempt.snapshot.task;
  const task = { ...home, maxTurns, ...(conversation && { conversation }) };
  const models = { ...snapshot.models, ...attempt.snapshot.models };
  const next: AttemptState = { ...attempt, snapshot: { ...attempt.snapshot, task, agents, models }, review: newTrack() };
  next.turns = new Map([...attempt.turns].map(([id, turn]) => [id, movedTurn(turn, agents, at)]));
  const { status, attempts, nextAttemptAt, end, toolCalls, lastEvent } = state;
  const kept = { status, attempts, nextAttemptAt, end, toolCalls, lastEvent };
  // Rules that let a call through still count for the question about its outcome.
  const approvals = new Map([...state.approvals].filter(([, { open }]) => !open));
  const fresh: RunState = { ...newRunState(), ...kept, approvals, attempt: next, startedAt: at };
  loseCalls(fresh);
  return fresh;
}

function movedTurn(turn: TurnState, agents: Readonly<Record<string, AgentSnapshot>>, at: number): TurnState {
  const agent = agents[turn.agent.name] ?? turn.agent;
  const [first, ...rest] = turn.transcript;
  const prompted = agent.prompt !== turn.agent.prompt && first?.role === 'system';
  return {
    ...turn,
    agent,
    transcript: prompted ? [{ ...first, content: agent.prompt }, ...rest] : turn.transcript,
    startedAt: turn.startedAt === 0 ? 0 : at,
    waitedMs: 0,
    waitEndedAt: 0,
    awaitingSince: undefined,
    review: newTrack(),
    step: turn.step && { ...turn.step, requestedAt: at, calls: turn.step.calls.map(askedAgain) },
  };
}

/** Approvals belong to the other run: this one requests its own. A call that was sent keeps its request id, and counts as lost with its worker. */
function askedAgain(call: CallState): CallState {
  const { phase, sentAt } = call;
  if (phase !== 'requested' && phase !== 'awaiting' && phase !== 'decided') return call;
  const unasked = { ...call, asked: 0, verdict: undefined, approved: undefined };
  return sentAt > 0 ? { ...unasked, phase: 'requested' } : { ...unasked, phase: 'new', requestId: '', proposed: undefined };
}
