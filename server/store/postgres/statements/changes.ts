// SQL of the change log. Its numbers come from one counter row, taken by the last statement of a transaction and held until the commit:
// they have no gaps, and nobody sees a number before every smaller one.
import type { ResourceKey } from '@svc/shared/resource';
import type pg from 'pg';
import { CHANGE_COLUMNS, changeBound, changeFilters, toChange } from '../../change-row.ts';
import type { ChangeRow, NewChange } from '../../change-row.ts';
import type { Change, ChangePage, ChangeQuery, StoredObject } from '../../store.ts';
import { SCHEMA } from '../client-config.ts';
import { one, statement, statementCache } from '../session.ts';
import type { Session } from '../session.ts';
import { parseObject } from '../../parse-object.ts';

const append = statement(
  `WITH head AS (UPDATE change_head SET seq = seq + $1::bigint RETURNING seq)
   INSERT INTO changes (${CHANGE_COLUMNS})
   SELECT head.seq - $1::bigint + c.place, c.timestamp, c.type, c.kind, c.namespace, c.name, c.resource_version, c.object, c.fact
   FROM head CROSS JOIN unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[])
     WITH ORDINALITY AS c (timestamp, type, kind, namespace, name, resource_version, object, fact, place)
   RETURNING seq`,
);
// One statement sees one moment.
const selectBounds = statement('SELECT seq AS head, (SELECT min(changes.seq) FROM changes) AS oldest FROM change_head');
const removeRange = statement('DELETE FROM changes WHERE seq >= $1 AND seq < $2');
const selectLastState = statement(
  `SELECT object FROM changes WHERE kind = $1 AND namespace = $2 AND name = $3 AND type <> 'fact' ORDER BY seq DESC LIMIT 1`,
);
const readStatement = statementCache();

/**
 * The statement of a query's shape: which filters it has, and its direction.
 * A kind within a namespace is filtered inside the index of either, which carries the other; a name without its namespace is filtered row by row.
 */
export function readSql(filters: readonly string[], descending: boolean): string {
  const conditions = [...filters.map((column, i) => `${column} = $${i + 1}`), `seq ${descending ? '<' : '>'} $${filters.length + 1}`];
  const order = `ORDER BY seq ${descending ? 'DESC' : 'ASC'} LIMIT $${filters.length + 2}`;
  return `SELECT ${CHANGE_COLUMNS} FROM changes WHERE ${conditions.join(' AND ')} ${order}`;
}

/** The same, as far as the objects fit into the bytes of the last value; the first change that does not fit comes without its object. */
export function readPageSql(filters: readonly string[], descending: boolean): string {
  const size = 'coalesce(octet_length(object), 0)';
  const order = `ORDER BY seq${descending ? ' DESC' : ''}`;
  const rows = readSql(filters, descending).replace(
    ' FROM ',
    `, sum(${size}) OVER (${order} ROWS UNBOUNDED PRECEDING) AS total, row_number() OVER (${order}) AS place FROM `,
  );
  const room = `$${filters.length + 3}::bigint`;
  const columns = CHANGE_COLUMNS.replace('object', `CASE WHEN total <= ${room} OR place = 1 THEN object END AS object`);
  return `SELECT ${columns}, total <= ${room} OR place = 1 AS fits FROM (${rows}) page WHERE total - ${size} <= ${room} OR place = 2`;
}

/** Appends in order; nobody else appends until the transaction ends. Returns the newest number. */
export async function appendChanges(session: Session, changes: readonly NewChange[]): Promise<number> {
  const column = <T>(of: (change: NewChange) => T) => changes.map(of);
  const { rows } = await session.run<{ seq: number }>(append, [
    changes.length,
    column((c) => c.timestamp),
    column((c) => c.type),
    column((c) => c.key.kind),
    column((c) => c.key.namespace),
    column((c) => c.key.name),
    column((c) => c.resourceVersion),
    column((c) => c.object ?? null),
    column((c) => (c.fact ? JSON.stringify(c.fact) : null)),
  ]);
  return rows.reduce((newest, { seq }) => Math.max(newest, seq), 0);
}

export async function readChanges(session: Session, query: ChangeQuery): Promise<Change[]> {
  const filters = changeFilters(query);
  const sql = readSql(
    filters.map(({ column }) => column),
    query.descending === true,
  );
  const values = [...filters.map(({ value }) => value), changeBound(query), query.limit];
  const { rows } = await session.run<ChangeRow>(readStatement(sql), values);
  return rows.map(toChange);
}

export async function readChangePage(session: Session, query: ChangeQuery, bytesMax: number): Promise<ChangePage> {
  const filters = changeFilters(query);
  const sql = readPageSql(
    filters.map(({ column }) => column),
    query.descending === true,
  );
  const values = [...filters.map(({ value }) => value), changeBound(query), query.limit, bytesMax];
  const { rows } = await session.run<ChangeRow & { fits: boolean }>(readStatement(sql), values);
  const fitting = rows.filter(({ fits }) => fits);
  return { changes: fitting.map(toChange), full: fitting.length < rows.length };
}

/** A connection that takes longer no longer answers: notices that it should have brought wait for its end. */
const HEAD_MAX_MS = 4_000;

/** On a connection without the settings of a session. */
export async function readHead(client: pg.Client): Promise<number> {
  const query = { text: `SELECT seq FROM ${SCHEMA}.change_head`, query_timeout: HEAD_MAX_MS };
  return (await client.query<{ seq: number }>(query)).rows[0]?.seq ?? 0;
}

/** The newest number ever given (0 when none), and the oldest one retained. */
export async function changeBounds(session: Session): Promise<{ head: number; oldest: number }> {
  const row = await one(session.run<{ head: number; oldest: number | null }>(selectBounds));
  const head = row?.head ?? 0;
  return { head, oldest: row?.oldest ?? head + 1 };
}

/** The last state of an object that the log still holds; of a deleted one, the state it was deleted in. */
export async function lastState(session: Session, { kind, namespace, name }: ResourceKey): Promise<StoredObject | undefined> {
  const text = (await one(session.run<{ object: string | null }>(selectLastState, [kind, namespace, name])))?.object;
  return text ? parseObject(text) : undefined;
}

/** Deletes `from <= seq < before`; returns how many. */
export async function removeChanges(session: Session, from: number, before: number): Promise<number> {
  return (await session.run(removeRange, [from, before])).count;
}
