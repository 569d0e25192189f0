// Record of a turn's run: events of what the run records, and the text of its answer as the model says it, under the Session's fence.
import { ServiceError } from '@svc/shared/errors';
import { timestamp } from '../clock.ts';
import type { Entry, EntryOf } from '../engine/core/entries.ts';
import { encodeState } from '../engine/core/state-codec.ts';
import type { CallPlace } from '../engine/live/messages.ts';
import type { CallText } from '../engine/live/publish-text.ts';
import type { OpenRecord, RecordedEntries, RunRecord } from '../engine/run-record.ts';
import type { RunState } from '../engine/core/state.ts';
import type { Logger } from '../log/log.ts';
import { CANCEL_SIGNAL } from '../engine/shell/signals.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import { partName } from '../registry/principal.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import type { Claim, Store, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { mayRunTurn } from './bindings.ts';
import { addCheckpoint, safePointOf } from './checkpoints.ts';
import { changeSession, hasEnded, type SessionDraft } from './draft.ts';
import { firstLine } from './first-line.ts';
import { emitHeldBack, noteEnd, notesOf, eventsOf, speaks } from './project.ts';
import { isOver, type TurnBinding, type TurnRecord } from './records.ts';
import { Speech } from './speech.ts';
import { endTurn, failTurn, type TurnDeps } from './turns.ts';

export interface SessionRunDeps extends TurnDeps {
  readonly store: Store;
  readonly log: Logger;
}

/** Text that comes within this time after a stored piece is stored together. */
const GATHER_MS = 50;
/** After a piece that the store did not take. */
const RETRY_MS = 1_000;

export function createOpenRecord(deps: SessionRunDeps): OpenRecord {
  return async (tx, task, claim) => {
    if (!mayRunTurn(task)) return undefined;
    const binding = await deps.bindings.read(tx, task.uid);
    return binding && new SessionRun(deps, binding, claim);
  };
}

interface Piece {
  readonly turn: string;
  readonly text: string;
}

/** Values that take effect once the current transaction is committed. */
interface Proposal {
  readonly live: boolean;
  readonly fence: number;
  readonly speech: Speech;
  readonly consumed: number;
  readonly turn: TurnRecord | undefined;
}

class SessionRun implements RunRecord {
  readonly #deps: SessionRunDeps;
  readonly #binding: TurnBinding;
  readonly #claim: Claim;
  #proposal: Proposal | undefined;
  #live = true;
  #fence = 0;
  #speech = new Speech();
  #turn: TurnRecord | undefined;
  #state: RunState | undefined;
  #pending: Piece[] = [];
  #held = true;
  #closed = false;
  #flushing: Promise<void> | undefined;
  #gathering = false;
  #starting = false;

  constructor(deps: SessionRunDeps, binding: TurnBinding, claim: Claim) {
    this.#deps = deps;
    this.#binding = binding;
    this.#claim = claim;
  }

  async onEntries(tx: StoreTransaction, recorded: RecordedEntries): Promise<void> {
    this.#state = recorded.state;
    // A claim that is held through a pause and its end is opened again.
    const opens = recorded.entries.some(({ type }) => type === 'run.claimed' || type === 'run.resumed');
    await this.#change(tx, async (draft) => {
      const speech = this.#speech.clone();
      if (opens || this.#claim.queue !== TASK_QUEUE) return this.#begin(draft, speech, recorded);
      this.#proposal = { ...this.#current(draft), speech, consumed: this.#pending.length };
      if (this.#proposal.live) await this.#record(draft, speech, recorded);
    });
  }

  /** The claim is live only while this turn is the one that the Session runs. A claim without a worker ends the run, and shows only its end. */
  async #begin(draft: SessionDraft, speech: Speech, recorded: RecordedEntries): Promise<void> {
    const { lastSeq, claim, state } = recorded;
    const found = await draft.turn(this.#binding.sequence);
    const isActive = draft.control.active === this.#binding.sequence && found !== undefined && !isOver(found);
    const live = isActive && draft.phase !== 'Paused' && !hasEnded(draft.phase);
    this.#proposal = { live, fence: draft.status.fence ?? 0, speech, consumed: 0, turn: found };
    if (!live) return;
    const kept = await emitHeldBack(draft, found, { state, upTo: lastSeq });
    if (claim.queue !== TASK_QUEUE) {
      this.#proposal = { ...this.#proposal, turn: draft.setTurn(kept) };
      return this.#record(draft, speech, recorded);
    }
    draft.raiseFence();
    const turn = draft.setTurn({
      ...kept,
      phase: 'Running',
      attempt: found.attempt + 1,
      startedAt: found.startedAt ?? timestamp(draft.now),
    });
    if (claim.takeover && recorded.entries[0]?.type === 'run.claimed') {
      const reason = `worker ${claim.from?.owner ?? 'unknown'} was lost`;
      draft.emit('turn.retrying', { reason }, { turn });
      draft.emit('message.reset', { reason: 'recovered' }, { turn });
      const { checkpoint } = draft.control;
      if (checkpoint) draft.emit('session.recovered', { checkpoint_id: checkpoint }, { turn });
    }
    const fence = draft.status.fence ?? 0;
    draft.setStatus({
      phase: 'Running',
      activeTurnID: turn.id,
      lastMessage: firstLine(turn.content),
      claimedBy: claim.owner,
      leaseUntil: timestamp(claim.leaseUntil),
      lastHeartbeat: timestamp(claim.claimedAt),
      startedAt: draft.status.startedAt ?? timestamp(draft.now),
      lastError: undefined,
    });
    draft.emit('turn.started', { worker: claim.owner, fence, task: turn.task?.name }, { turn });
    this.#proposal = { live: true, fence, speech, consumed: 0, turn };
    await this.#record(draft, speech, recorded);
  }

  /** Emits events, ends the turn, and adds its checkpoint. A state above the size limit fails the turn: a run must not continue without its checkpoint. */
  async #record(draft: SessionDraft, speech: Speech, { entries, state, lastSeq }: RecordedEntries): Promise<void> {
    this.#emit(draft, speech, entries);
    const turn = this.#noteEnds(draft, entries);
    const point = safePointOf(entries);
    if (!turn || !point) return;
    try {
      const safe = { ...point, encoded: encodeState(state), seq: lastSeq + entries.length };
      if (safe.safePoint !== 'turn.completed') return void (await addCheckpoint(draft, turn, safe));
      const { tokensUsed, outputTokens, end } = state;
      const usage = { inputTokens: tokensUsed - outputTokens, outputTokens };
      const last = entries.findLast(({ type }) => type === 'model.completed') as EntryOf<'model.completed'> | undefined;
      const notes = notesOf(turn, state.attempt?.number);
      const ended = { how: 'succeeded', failure: undefined, output: end?.output ?? {}, usage } as const;
      await endTurn(this.#deps, draft, { turn, ended, safe: { ...safe, notes }, finishReason: last?.data.finish_reason });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'too_large') throw error;
      draft.emit('error', { message: error.message }, { turn });
      failTurn(draft, turn, error);
      // Where the run has ended, its listener follows in this transaction.
      if (state.status === 'finished') return;
      // The run has not ended: it is silent from here on, and the next turn waits for its end.
      draft.raiseFence();
      draft.control = { ...draft.control, active: turn.sequence };
      const data = { by: partName('sessions'), reason: error.message };
      await draft.tx.sendSignal(TASK_QUEUE, { stream: this.#claim.key, type: CANCEL_SIGNAL, timestamp: timestamp(draft.now), data });
    }
  }

  /** Notes pass to the next claim in the record of the turn. */
  #noteEnds(draft: SessionDraft, entries: readonly Entry[]): TurnRecord | undefined {
    const turn = this.#proposal?.turn;
    const noted = turn && entries.reduce(noteEnd, turn);
    if (this.#proposal && noted && noted !== turn) this.#proposal = { ...this.#proposal, turn: draft.setTurn(noted) };
    return noted;
  }

  /** A claim that lost its fence stays silent, unless it is opened again. */
  #current({ status }: SessionDraft): Omit<Proposal, 'speech' | 'consumed'> {
    return { live: this.#live && (status.fence ?? 0) === this.#fence, fence: this.#fence, turn: this.#turn };
  }

  /** Text first: it is older than the entries. Its first piece is an event of its own, as it is for a reader of a slower answer. */
  #emit(draft: SessionDraft, speech: Speech, entries: readonly Entry[]): void {
    const turn = this.#proposal?.turn;
    if (!turn) return;
    const tags = { turn } as const;
    const [first, ...others] = this.#pending;
    for (const { turn: speaker, text } of [...(first ? [first] : []), ...joined(others)])
      for (const { type, payload } of speech.say(speaker, text)) draft.emit(type, payload, tags);
    const isSpeaker = (agent: string) => this.#state !== undefined && speaks(this.#state, agent);
    for (const entry of entries) for (const { type, payload } of eventsOf(entry, speech, isSpeaker)) draft.emit(type, payload, tags);
  }

  committed(): void {
    const proposal = this.#proposal;
    if (proposal) {
      this.#live = proposal.live;
      this.#fence = proposal.fence;
      this.#speech = proposal.speech;
      this.#turn = proposal.turn;
      this.#pending.splice(0, proposal.consumed);
      this.#proposal = undefined;
    }
    this.#held = false;
    this.#flushSoon();
  }

  beginText(turnId: string, { agent }: CallPlace): CallText {
    let open = this.#state !== undefined && speaks(this.#state, agent);
    this.#speech.introduce(turnId, agent);
    return {
      push: (text) => {
        if (!open || !this.#live) return;
        this.#pending.push({ turn: turnId, text });
        this.#flushSoon();
      },
      end: () => (open = false),
    };
  }

  async settle(): Promise<void> {
    this.#held = true;
    await this.#flushing;
  }

  close(): void {
    this.#closed = true;
    this.#pending = [];
  }

  /**
   * The first piece is stored at once; those that come while it is stored, and shortly after, are stored together. An answer that is complete
   * before other events of the process have had their turn is stored with its end.
   */
  #flushSoon(): void {
    if (!this.#mayFlush() || this.#flushing || this.#gathering || this.#starting) return;
    this.#starting = true;
    setImmediate(() => {
      this.#starting = false;
      if (!this.#mayFlush()) return;
      this.#flushing = this.#flush().then((stored) => {
        this.#flushing = undefined;
        return this.#gather(stored ? GATHER_MS : RETRY_MS);
      });
    });
  }

  #mayFlush(): boolean {
    return !this.#held && !this.#closed && this.#live && this.#pending.length > 0;
  }

  #gather(waitMs: number): void {
    this.#gathering = true;
    void this.#deps.clock.sleep(waitMs).then(() => {
      this.#gathering = false;
      this.#flushSoon();
    });
  }

  async #flush(): Promise<boolean> {
    const consumed = this.#pending.length;
    const pieces = joined(this.#pending);
    try {
      const speech = await transactAgain(this.#deps.store, async (tx) => {
        await tx.assertClaim(this.#claim);
        const said = this.#speech.clone();
        const live = await this.#change(tx, (draft) => {
          const { live: stillLive } = this.#current(draft);
          if (stillLive && this.#turn)
            for (const { turn, text } of pieces)
              for (const { type, payload } of said.say(turn, text)) draft.emit(type, payload, { turn: this.#turn });
          return Promise.resolve(stillLive);
        });
        return live ? said : undefined;
      });
      if (!speech) this.#live = false;
      else this.#speech = speech;
      this.#pending.splice(0, consumed);
      return true;
    } catch (error) {
      if (error instanceof LeaseLost) this.#live = false;
      else
        this.#deps.log.warn(
          { err: error, session: `${this.#binding.namespace}/${this.#binding.name}` },
          'text of an answer is stored later',
        );
      return false;
    }
  }

  #change<T>(tx: StoreTransaction, change: (draft: SessionDraft) => Promise<T>): Promise<T | undefined> {
    const { uid, ...ref } = this.#binding;
    return changeSession(tx, { ref, uid, deps: this.#deps }, change);
  }
}

/** Neighbouring pieces of one turn as one. */
function joined(pieces: readonly Piece[]): Piece[] {
  const runs: Piece[] = [];
  for (const { turn, text } of pieces) {
    const last = runs.at(-1);
    if (last?.turn === turn) runs[runs.length - 1] = { turn, text: last.text + text };
    else runs.push({ turn, text });
  }
  return runs;
}
