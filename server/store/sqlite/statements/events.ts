// SQL of event streams. Transactions run one after the other, so the numbers of a stream are in commit order.
import { toEntry } from '../../journal-row.ts';
import type { JournalRow } from '../../journal-row.ts';
import type { EventPage, EventQuery, NewStreamEvent, StreamEvent } from '../../store.ts';
import type { Connection } from '../connection.ts';

export function eventStatements(connection: Connection) {
  const insert = connection.prepare('INSERT INTO stream_events (owner, seq, timestamp, type, data) VALUES (?, ?, ?, ?, ?)');
  const selectHead = connection.prepare<{ head: number | null }>('SELECT max(seq) AS head FROM stream_events WHERE owner = ?');
  const select = connection.prepare<JournalRow>(
    'SELECT seq, timestamp, type, data FROM stream_events WHERE owner = ? AND seq > ? ORDER BY seq LIMIT ?',
  );
  const deleteOldest = connection.prepare(
    'DELETE FROM stream_events WHERE owner = ?1 AND seq < (SELECT min(seq) FROM stream_events WHERE owner = ?1) + ?2',
  );
  const head = (owner: string): number => selectHead.get(owner)?.head ?? 0;

  return {
    head,
    append(owner: string, events: readonly NewStreamEvent[]): number {
      let last = head(owner);
      for (const { timestamp, type, data } of events) insert.run(owner, (last += 1), timestamp, type, JSON.stringify(data));
      return last;
    },
    /** Steps through the stream and stops at the first event that does not fit. */
    read(owner: string, { after, limit, bytesMax = Infinity }: EventQuery): EventPage {
      const events: StreamEvent[] = [];
      let size = 0;
      for (const row of select.iterate(owner, after, limit)) {
        size += row.data.length;
        if (size > bytesMax && events.length > 0) return { events, full: true };
        events.push(toEntry(row));
      }
      return { events, full: false };
    },
    /** True once none is left. */
    remove: (owner: string, limit: number): boolean => deleteOldest.run(owner, limit) < limit,
  };
}
