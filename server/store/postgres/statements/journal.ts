// SQL of run journals and of the signals sent to runs. What needs a claim locks its work item first, so that no takeover commits in between.
import { invariant } from '@svc/shared/errors';
import { toEntry, toSignal } from '../../journal-row.ts';
import type { JournalRow, SignalRow } from '../../journal-row.ts';
import { LeaseLost } from '../../lease-lost.ts';
import type { Claim, JournalEntry, NewJournalEntry, Signal } from '../../store.ts';
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';

// `last` may be older than the lock; a stream that has moved on since then is met by the unique index.
const APPEND = `WITH held AS MATERIALIZED (
     SELECT key FROM work_items WHERE queue = $1 AND key = $2 AND owner = $3 AND fence = $4 FOR NO KEY UPDATE
   ), last AS MATERIALIZED (
     SELECT coalesce(max(seq), 0) AS seq FROM journal WHERE stream = $2
   ), written AS (
     INSERT INTO journal (stream, seq, timestamp, type, data)
     SELECT $2, $5::bigint + e.place, e.timestamp, e.type, e.data
     FROM held CROSS JOIN last CROSS JOIN unnest($6::text[], $7::text[], $8::text[]) WITH ORDINALITY AS e (timestamp, type, data, place)
     WHERE last.seq = $5::bigint
   )`;
const append = statement(`${APPEND} SELECT last.seq, (SELECT count(*) FROM held) AS held FROM last`);
// Divides by zero, which ends the transaction, where nothing was appended.
const appendOrFail = statement(`${APPEND} SELECT 1 / (SELECT count(*) FROM held WHERE last.seq = $5::bigint) AS appended FROM last`);
const select = statement('SELECT seq, timestamp, type, data FROM journal WHERE stream = $1 AND seq > $2 ORDER BY seq LIMIT $3');
// Signals belong to the stream, so they are deleted with it.
const removeStream = statement('WITH signals_gone AS (DELETE FROM signals WHERE stream = $1) DELETE FROM journal WHERE stream = $1');
const insertSignal = statement('INSERT INTO signals (stream, timestamp, type, data) VALUES ($1, $2, $3, $4)');
const selectSignals = statement('SELECT id, stream, timestamp, type, data FROM signals WHERE stream = $1 ORDER BY id');
const selectAnySignal = statement('SELECT id FROM signals WHERE stream = $1 LIMIT 1');
const removeSignals = statement(
  `WITH held AS MATERIALIZED (
     SELECT key FROM work_items WHERE queue = $1 AND key = $2 AND owner = $3 AND fence = $4 FOR NO KEY UPDATE
   ), gone AS (
     DELETE FROM signals s USING held WHERE s.stream = $2 AND s.id = ANY ($5::bigint[])
   ) SELECT key FROM held`,
);

export interface Append {
  readonly lastSeq: number;
  readonly entries: readonly NewJournalEntry[];
}

function appendValues({ queue, key, owner, fence }: Claim, { lastSeq, entries }: Append): (string | number | string[])[] {
  const column = (of: (entry: NewJournalEntry) => string) => entries.map(of);
  const columns = [column(({ timestamp }) => timestamp), column(({ type }) => type), column(({ data }) => JSON.stringify(data))];
  return [queue, key, owner, fence, lastSeq, ...columns];
}

/** For a claim that this transaction has taken. Fails the transaction with `internal` where appendJournal would throw. */
export async function appendHeld(session: Session, claim: Claim, appended: Append): Promise<void> {
  await session.run(appendOrFail, appendValues(claim, appended));
}

/** Throws LeaseLost when the claim is no longer held or the stream has moved past `lastSeq`. */
export async function appendJournal(session: Session, claim: Claim, { lastSeq, entries }: Append): Promise<void> {
  const row = await one(session.run<{ seq: number; held: number }>(append, appendValues(claim, { lastSeq, entries })));
  invariant(row, 'an append answers with one row');
  if (row.held === 0 || row.seq > lastSeq) throw new LeaseLost(claim.key, claim.fence);
  invariant(row.seq === lastSeq, `the journal of ${claim.key} ends at ${row.seq}, so nothing can follow ${lastSeq}`);
}

export async function readJournal(
  session: Session,
  stream: string,
  { after, limit }: { after: number; limit: number },
): Promise<JournalEntry[]> {
  const { rows } = await session.run<JournalRow>(select, [stream, after, limit]);
  return rows.map(toEntry);
}

export async function removeJournal(session: Session, stream: string): Promise<void> {
  await session.run(removeStream, [stream]);
}

export async function addSignal(session: Session, signal: Omit<Signal, 'id'>): Promise<void> {
  await session.run(insertSignal, [signal.stream, signal.timestamp, signal.type, JSON.stringify(signal.data)]);
}

export async function readSignals(session: Session, stream: string): Promise<Signal[]> {
  const { rows } = await session.run<SignalRow>(selectSignals, [stream]);
  return rows.map(toSignal);
}

export async function hasSignals(session: Session, stream: string): Promise<boolean> {
  return (await one(session.run<{ id: number }>(selectAnySignal, [stream]))) !== undefined;
}

/** Throws LeaseLost. */
export async function consumeSignals(session: Session, claim: Claim, ids: readonly number[]): Promise<void> {
  const { count } = await session.run(removeSignals, [claim.queue, claim.key, claim.owner, claim.fence, ids]);
  if (count === 0) throw new LeaseLost(claim.key, claim.fence);
}
