// SQL of run journals and of the signals sent to runs.
import { invariant } from '@svc/shared/errors';
import { toEntry, toSignal } from '../../journal-row.ts';
import type { JournalRow, SignalRow } from '../../journal-row.ts';
import { LeaseLost } from '../../lease-lost.ts';
import type { Claim, JournalEntry, NewJournalEntry, Signal } from '../../store.ts';
import type { Connection } from '../connection.ts';

export function journalStatements(connection: Connection) {
  const insert = connection.prepare('INSERT INTO journal (stream, seq, timestamp, type, data) VALUES (?, ?, ?, ?, ?)');
  const selectLast = connection.prepare<{ seq: number | null }>('SELECT max(seq) AS seq FROM journal WHERE stream = ?');
  const select = connection.prepare<JournalRow>(
    'SELECT seq, timestamp, type, data FROM journal WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?',
  );
  const deleteStream = connection.prepare('DELETE FROM journal WHERE stream = ?');
  const insertSignal = connection.prepare('INSERT INTO signals (stream, timestamp, type, data) VALUES (?, ?, ?, ?)');
  const selectSignals = connection.prepare<SignalRow>('SELECT id, stream, timestamp, type, data FROM signals WHERE stream = ? ORDER BY id');
  const selectAnySignal = connection.prepare<{ id: number }>('SELECT id FROM signals WHERE stream = ? LIMIT 1');
  const deleteSignal = connection.prepare('DELETE FROM signals WHERE id = ? AND stream = ?');
  const deleteSignals = connection.prepare('DELETE FROM signals WHERE stream = ?');

  return {
    /** The caller has checked the claim. */
    append(claim: Claim, lastSeq: number, entries: readonly NewJournalEntry[]): void {
      const stored = selectLast.get(claim.key)?.seq ?? 0;
      if (stored > lastSeq) throw new LeaseLost(claim.key, claim.fence);
      invariant(stored === lastSeq, `the journal of ${claim.key} ends at ${stored}, so nothing can follow ${lastSeq}`);
      entries.forEach((entry, index) =>
        insert.run(claim.key, lastSeq + 1 + index, entry.timestamp, entry.type, JSON.stringify(entry.data)),
      );
    },
    read(stream: string, after: number, limit: number): JournalEntry[] {
      return select.all(stream, after, limit).map(toEntry);
    },
    /** Signals are addressed to the stream, so they go with it. */
    remove(stream: string): void {
      deleteStream.run(stream);
      deleteSignals.run(stream);
    },
    send(signal: Omit<Signal, 'id'>): void {
      insertSignal.run(signal.stream, signal.timestamp, signal.type, JSON.stringify(signal.data));
    },
    signals(stream: string): Signal[] {
      return selectSignals.all(stream).map(toSignal);
    },
    hasSignals: (stream: string): boolean => selectAnySignal.get(stream) !== undefined,
    consume(stream: string, ids: readonly number[]): void {
      for (const id of ids) deleteSignal.run(id, stream);
    },
  };
}
