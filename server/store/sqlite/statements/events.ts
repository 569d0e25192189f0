// SQL of event streams. Transactions run one after the other, so the numbers of a stream are in commit order.
import { invariant } from '@svc/shared/errors';
import { toEntry } from '../../journal-row.ts';
import type { JournalRow } from '../../journal-row.ts';
import type { EventPage, EventQuery, NewStreamEvent, StreamEvent } from '../../store.ts';
import type { Connection } from '../connection.ts';

export type EventStatements = ReturnType<typeof eventStatements>;

export function eventStatements(connection: Connection) {
  const grow = connection.prepare<{ head: number }>(
    'INSERT INTO event_streams (owner, head) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET head = head + excluded.head RETURNING head',
  );
  const insert = connection.prepare('INSERT INTO stream_events (owner, seq, timestamp, type, data) VALUES (?, ?, ?, ?, ?)');
  const selectHead = connection.prepare<{ head: number }>('SELECT head FROM event_streams WHERE owner = ?');
  const select = connection.prepare<JournalRow>(
    'SELECT seq, timestamp, type, data FROM stream_events WHERE owner = ? AND seq > ? ORDER BY seq LIMIT ?',
  );
  const deleteOldest = connection.prepare(
    'DELETE FROM stream_events WHERE owner = ?1 AND seq < (SELECT min(seq) FROM stream_events WHERE owner = ?1) + ?2',
  );
  const deleteStream = connection.prepare('DELETE FROM event_streams WHERE owner = ?');
  const head = (owner: string): number => selectHead.get(owner)?.head ?? 0;

  return {
    head,
    append(owner: string, events: readonly NewStreamEvent[]): number {
      if (events.length === 0) return head(owner);
      const last = grow.get(owner, events.length)?.head;
      invariant(last !== undefined, 'an append returns the head of its stream');
      const first = last - events.length + 1;
      events.forEach(({ timestamp, type, data }, index) => insert.run(owner, first + index, timestamp, type, JSON.stringify(data)));
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
    remove(owner: string, limit: number): boolean {
      if (deleteOldest.run(owner, limit) >= limit) return false;
      deleteStream.run(owner);
      return true;
    },
  };
}
