// SQL of event streams. An append locks the stream's head row until its commit: numbers have no gaps and are in commit order.
import { invariant } from '@svc/shared/errors';
import { toEntry } from '../../journal-row.ts';
import type { JournalRow } from '../../journal-row.ts';
import type { EventPage, EventQuery, NewStreamEvent } from '../../store.ts';
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';

const append = statement(
  `WITH stream AS (
     INSERT INTO event_streams AS s (owner, head) VALUES ($1, $2::bigint)
     ON CONFLICT (owner) DO UPDATE SET head = s.head + excluded.head RETURNING head
   ), written AS (
     INSERT INTO stream_events (owner, seq, timestamp, type, data)
     SELECT $1, stream.head - $2::bigint + e.place, e.timestamp, e.type, e.data
     FROM stream CROSS JOIN unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS e (timestamp, type, data, place)
   ) SELECT head FROM stream`,
);
const selectHead = statement('SELECT head FROM event_streams WHERE owner = $1');
const lockHead = statement('SELECT head FROM event_streams WHERE owner = $1 FOR UPDATE');
const ORDER = 'ORDER BY seq ROWS UNBOUNDED PRECEDING';
// The first event that does not fit comes without its data.
const select = statement(
  `SELECT seq, timestamp, type, CASE WHEN total <= $4::bigint OR place = 1 THEN data END AS data, total <= $4::bigint OR place = 1 AS fits
   FROM (
     SELECT seq, timestamp, type, data, octet_length(data) AS size,
       sum(octet_length(data)) OVER (${ORDER}) AS total, row_number() OVER (${ORDER}) AS place
     FROM stream_events WHERE owner = $1 AND seq > $2 ORDER BY seq LIMIT $3
   ) page WHERE total - size <= $4::bigint OR place = 2`,
);
const removeOldest = statement(
  'DELETE FROM stream_events WHERE owner = $1 AND seq < (SELECT min(seq) FROM stream_events WHERE owner = $1) + $2::bigint',
);
const removeStream = statement('DELETE FROM event_streams WHERE owner = $1');

/** Nobody else appends to the stream until the transaction ends. Returns the newest number. */
export async function appendEvents(session: Session, owner: string, events: readonly NewStreamEvent[]): Promise<number> {
  if (events.length === 0) return eventHead(session, owner);
  const columns = [events.map((e) => e.timestamp), events.map((e) => e.type), events.map((e) => JSON.stringify(e.data))];
  const row = await one(session.run<{ head: number }>(append, [owner, events.length, ...columns]));
  invariant(row, 'an append answers with one row');
  return row.head;
}

export async function eventHead(session: Session, owner: string): Promise<number> {
  return (await one(session.run<{ head: number }>(selectHead, [owner])))?.head ?? 0;
}

export async function readEvents(session: Session, owner: string, query: EventQuery): Promise<EventPage> {
  const { after, limit, bytesMax = Number.MAX_SAFE_INTEGER } = query;
  const { rows } = await session.run<JournalRow & { fits: boolean }>(select, [owner, after, limit, bytesMax]);
  const fitting = rows.filter(({ fits }) => fits);
  return { events: fitting.map(({ fits: _, ...row }) => toEntry(row)), full: fitting.length < rows.length };
}

/** True once none is left. The lock keeps appends away until the head row is gone too. */
export async function removeEvents(session: Session, owner: string, limit: number): Promise<boolean> {
  await session.run(lockHead, [owner]);
  const { count } = await session.run(removeOldest, [owner, limit]);
  if (count >= limit) return false;
  await session.run(removeStream, [owner]);
  return true;
}
