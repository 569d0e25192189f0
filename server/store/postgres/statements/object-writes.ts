// SQL that writes objects and the index rows they are found by, each write in one statement. The caller records the change.
import { invariant } from '@svc/shared/errors';
import type { ResourceKey } from '@svc/shared/resource';
import { assertSame, assertSucceeds, assertVersion, existsAlready } from '../../object-row.ts';
import type { ObjectRow } from '../../object-row.ts';
import type { ListCursor } from '../../list-order.ts';
import type { StoredObject } from '../../store.ts';
import { REFERENCE_TERM, sortRows, termChange, termRows } from '../../terms.ts';
import type { TermChange, Terms, TermsOf } from '../../terms.ts';
import { one, statement } from '../session.ts';
import type { Session, Statement } from '../session.ts';
import { removeText } from './search.ts';

// An index row of a reference that a server without that index left behind does no harm. The others cannot be there, and plain inserts are faster.
const TAKE_OVER = `ON CONFLICT (kind, term, value, namespace, name) DO UPDATE
  SET created_at = excluded.created_at, object_id = excluded.object_id`;
// Whole keys come from `gone`, which the planner cannot look into: a constant part of the key would tempt it to scan the index rows of a whole kind.
const REMOVE_GONE = `DELETE FROM object_terms x USING gone
     WHERE x.kind = gone.kind AND x.term = gone.term AND x.value = gone.value AND x.namespace = gone.namespace AND x.name = gone.name`;
const REMOVE_UNSORTED = `DELETE FROM sort_values v USING unsorted
     WHERE v.kind = unsorted.kind AND v.field = unsorted.field AND v.value = unsorted.value AND v.namespace = unsorted.namespace
       AND v.name = unsorted.name`;
/**
 * Replaces the sort values of `${object}`, a row with an id: of fields and values `${removed}` by those of `${added}`. Its texts are to be indexed
 * where `${newText}` holds.
 */
const replaceSorted = (object: string, [removed, added, newText]: readonly [string, string, string]): string => `unsorted AS MATERIALIZED (
     SELECT $1::text AS kind, s.field, s.value, $2::text AS namespace, $3::text AS name
     FROM ${object} CROSS JOIN unnest(${removed}) AS s (field, value)
   ), removed_sorted AS (
     ${REMOVE_UNSORTED}
   ), added_sorted AS (
     INSERT INTO sort_values (kind, field, value, namespace, name, object_id)
     SELECT $1, s.field, s.value, $2, $3, ${object}.id FROM ${object} CROSS JOIN unnest(${added}) AS s (field, value)
     ON CONFLICT (kind, field, value, namespace, name) DO UPDATE SET object_id = excluded.object_id
   ), pending AS (
     INSERT INTO search_pending (object_id) SELECT id FROM ${object} WHERE ${newText} ON CONFLICT (object_id) DO NOTHING
   )`;
const insertSql = (onExisting: string, { onConflict, sorted }: Variant): string => `WITH added AS (
     INSERT INTO objects (kind, namespace, name, uid, created_at, resource_version, terms, doc) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ${onExisting} RETURNING id
   ), indexed AS (
     INSERT INTO object_terms (kind, term, value, namespace, name, created_at, object_id)
     SELECT $1, t.term, t.value, $2, $3, $5, added.id FROM added CROSS JOIN unnest($9::text[], $10::text[]) AS t (term, value)
     ${onConflict}
   )${sorted ? `, ${replaceSorted('added', ['$11::text[], $12::text[]', '$13::text[], $14::text[]', '$15::boolean'])}` : ''} SELECT id FROM added`;
// An existing key is not an error, so that the transaction can continue.
const insert = forTerms((variant) => insertSql('ON CONFLICT (kind, namespace, name) DO NOTHING', variant));
const insertAbsent = forTerms((variant) => insertSql('', variant));
// Locks the newest version of the row, and writes only when it is the one expected, index terms included: the terms to remove and to add
// were computed from those. Names no column of an index of its own.
const update = forTerms(
  ({ onConflict, sorted }) => `WITH old AS MATERIALIZED (
     SELECT id, uid, created_at, resource_version, terms FROM objects WHERE kind = $1 AND namespace = $2 AND name = $3 FOR NO KEY UPDATE
   ), written AS (
     UPDATE objects o SET resource_version = $4, terms = $5, doc = $6 FROM old
     WHERE o.id = old.id AND old.resource_version = $4::bigint - 1 AND old.uid = $7 AND old.created_at = $8 AND old.terms = $9
     RETURNING o.id
   ), gone AS MATERIALIZED (
     SELECT $1::text AS kind, t.term, t.value, $2::text AS namespace, $3::text AS name
     FROM written CROSS JOIN unnest($10::text[], $11::text[]) AS t (term, value)
   ), removed AS (
     ${REMOVE_GONE}
   ), added AS (
     INSERT INTO object_terms (kind, term, value, namespace, name, created_at, object_id)
     SELECT $1, t.term, t.value, $2, $3, $8, written.id FROM written CROSS JOIN unnest($12::text[], $13::text[]) AS t (term, value)
     ${onConflict}
   )${sorted ? `, ${replaceSorted('written', ['$14::text[], $15::text[]', '$16::text[], $17::text[]', '$18::boolean'])}` : ''} SELECT old.*, (SELECT count(*) FROM written) AS written FROM old`,
);
const rewrite = statement(
  `UPDATE objects SET doc = $1 WHERE kind = $2 AND namespace = $3 AND name = $4 AND uid = $5 AND resource_version = $6
   RETURNING uid, resource_version`,
);
const selectPage = statement(
  `SELECT id, terms, doc FROM objects WHERE kind = $1 AND (namespace, name) > ($2, $3) ORDER BY namespace, name LIMIT $4 FOR NO KEY UPDATE`,
);
const updateTerms = statement(
  `WITH written AS (
     UPDATE objects SET terms = $6 WHERE id = $5 RETURNING id
   ), ${replaceSorted('written', ['$11::text[], $12::text[]', '$13::text[], $14::text[]', '$15::boolean'])}, gone AS MATERIALIZED (
     SELECT $1::text AS kind, t.term, t.value, $2::text AS namespace, $3::text AS name FROM unnest($7::text[], $8::text[]) AS t (term, value)
   ), removed AS (
     ${REMOVE_GONE}
   ) INSERT INTO object_terms (kind, term, value, namespace, name, created_at, object_id)
     SELECT $1, t.term, t.value, $2, $3, $4, $5 FROM unnest($9::text[], $10::text[]) AS t (term, value)
     ${TAKE_OVER}`,
);
const remove = statement(
  `WITH old AS MATERIALIZED (
     SELECT id, resource_version, terms, doc FROM objects WHERE kind = $1 AND namespace = $2 AND name = $3 FOR UPDATE
   ), gone AS (
     DELETE FROM objects o USING old WHERE o.id = old.id AND ($4::bigint IS NULL OR old.resource_version = $4)
   ) SELECT id, resource_version, terms, doc FROM old`,
);
const removeTerms = statement(
  `WITH gone AS MATERIALIZED (
     SELECT $1::text AS kind, t.term, t.value, $4::text AS namespace, $5::text AS name FROM unnest($2::text[], $3::text[]) AS t (term, value)
   ) ${REMOVE_GONE}`,
);

const removeSorted = statement(
  `WITH unsorted AS MATERIALIZED (
     SELECT $1::text AS kind, s.field, s.value, $4::text AS namespace, $5::text AS name FROM unnest($2::text[], $3::text[]) AS s (field, value)
   ) ${REMOVE_UNSORTED}`,
);

interface Variant {
  readonly onConflict: string;
  /** The statement takes four arrays more, fields and values of the sort values to remove and to add, and whether the texts are to be indexed. */
  readonly sorted: boolean;
}

type ByTerms = Readonly<Record<'plain' | 'takingOver', Readonly<Record<'true' | 'false', Statement>>>>;

function forTerms(sql: (variant: Variant) => string): ByTerms {
  const both = (onConflict: string) => ({
    true: statement(sql({ onConflict, sorted: true })),
    false: statement(sql({ onConflict, sorted: false })),
  });
  return { plain: both(''), takingOver: both(TAKE_OVER) };
}

/** The statement that makes these changes of index rows, and its last values. */
function changing(statements: ByTerms, change: Omit<TermChange, 'removed'>): readonly [Statement, SortingColumns | []] {
  const { added, sorting, newText } = change;
  const isSorted = newText || sorting.added.length + sorting.removed.length > 0;
  const chosen = added.some(([term]) => term === REFERENCE_TERM) ? statements.takingOver : statements.plain;
  return [chosen[`${isSorted}`], isSorted ? sortingColumns(change) : []];
}

type SortingColumns = [...string[][], string];

/** Four arrays for the replacement of sort values, and whether the texts are to be indexed. */
function sortingColumns({ sorting, newText }: Pick<TermChange, 'sorting' | 'newText'>): SortingColumns {
  return [...columns(sorting.removed), ...columns(sorting.added), String(newText)];
}

interface UpdatedRow extends ObjectRow {
  written: number;
}

/** Two arrays for unnest. */
function columns(rows: readonly [string, string][]): [string[], string[]] {
  return [rows.map(([term]) => term), rows.map(([, value]) => value)];
}

/** JSON of an object and of its terms, as a write stores them. */
export interface StoredJson {
  readonly doc: string;
  readonly terms: string;
}

/** A write that was sent. */
export interface SentWrite extends StoredJson {
  readonly done: Promise<void>;
}

/** Throws `conflict` when the key exists. */
export async function insertObject(session: Session, object: StoredObject, termsOf: TermsOf): Promise<StoredJson> {
  const { done, ...stored } = sendInsert(session, object, { termsOf, statements: insert });
  await done;
  return stored;
}

/** For a key that this transaction did not find: a WriteRace when another transaction has created it since. */
export function insertAbsentObject(session: Session, object: StoredObject, termsOf: TermsOf): SentWrite {
  return sendInsert(session, object, { termsOf, statements: insertAbsent });
}

function sendInsert(session: Session, object: StoredObject, how: { readonly termsOf: TermsOf; readonly statements: ByTerms }): SentWrite {
  const { kind, namespace, name, uid, createdAt, resourceVersion } = object;
  const terms = how.termsOf(object);
  const stored = { doc: JSON.stringify(object), terms: JSON.stringify(terms) };
  const row = [kind, namespace, name, uid, createdAt, resourceVersion, stored.terms, stored.doc];
  const added = termRows(terms);
  const [statement, sorting] = changing(how.statements, {
    added,
    sorting: { removed: [], added: sortRows(terms) },
    newText: terms.text !== undefined,
  });
  const done = session.run(statement, [...row, ...columns(added), ...sorting]).then(({ count }) => {
    if (count === 0) throw existsAlready(object);
  });
  return { ...stored, done };
}

interface Replacement {
  readonly object: StoredObject;
  readonly doc: string;
  /** JSON of the terms that the stored row must have. */
  readonly before: string;
  readonly after: string;
}

const UNCHANGED: TermChange = { removed: [], added: [], sorting: { removed: [], added: [] }, newText: false };

function replaceRow(session: Session, { object, doc, before, after }: Replacement): Promise<UpdatedRow | undefined> {
  const { kind, namespace, name, uid, createdAt, resourceVersion } = object;
  const change = before === after ? UNCHANGED : termChange(JSON.parse(before) as Terms, JSON.parse(after) as Terms);
  const [statement, sorting] = changing(update, change);
  const row = [kind, namespace, name, resourceVersion, after, doc, uid, createdAt, before];
  return one(session.run<UpdatedRow>(statement, [...row, ...columns(change.removed), ...columns(change.added), ...sorting]));
}

/**
 * Throws `not_found` or `conflict` unless `object` is the next version of what is stored. `previous` is the state this transaction has read,
 * if any: with it the terms that change are known beforehand.
 */
export async function updateObject(
  session: Session,
  object: StoredObject,
  { previous, termsOf }: { readonly previous: StoredObject | undefined; readonly termsOf: TermsOf },
): Promise<StoredJson> {
  const doc = JSON.stringify(object);
  const after = JSON.stringify(termsOf(object));
  const stored = { doc, terms: after };
  let before = previous ? JSON.stringify(termsOf(previous)) : after;
  let row = await replaceRow(session, { object, doc, before, after });
  assertSucceeds(object, row);
  if (row.written === 1) return stored;
  before = row.terms;
  row = await replaceRow(session, { object, doc, before, after });
  assertSucceeds(object, row);
  invariant(row.written === 1, 'a row that is locked keeps its terms');
  return stored;
}

/** An object that this transaction has locked, with the JSON of its terms. */
export interface LockedObject {
  readonly object: StoredObject;
  readonly terms: string;
}

/** As updateObject. What could refuse the write is known beforehand. */
export function updateLocked(
  session: Session,
  object: StoredObject,
  { locked, termsOf }: { locked: LockedObject; termsOf: TermsOf },
): SentWrite {
  const { uid, createdAt, resourceVersion } = locked.object;
  assertSucceeds(object, { id: 0, uid, created_at: createdAt, resource_version: resourceVersion, terms: locked.terms });
  const stored = { doc: JSON.stringify(object), terms: JSON.stringify(termsOf(object)) };
  const done = replaceRow(session, { object, doc: stored.doc, before: locked.terms, after: stored.terms }).then((row) =>
    invariant(row?.written === 1, 'a row that is locked is there and keeps its version and terms'),
  );
  return { ...stored, done };
}

/** Throws `conflict` unless `object` is the version that is stored. */
export async function rewriteObject(session: Session, object: StoredObject): Promise<void> {
  const { kind, namespace, name, uid, resourceVersion } = object;
  const values = [JSON.stringify(object), kind, namespace, name, uid, resourceVersion];
  assertSame(object, await one(session.run<Pick<ObjectRow, 'uid' | 'resource_version'>>(rewrite, values)));
}

export interface ReindexPage {
  readonly kind: string;
  readonly after: ListCursor | undefined;
  readonly limit: number;
}

/** Returns the last object examined, undefined when it was the last of all. */
export async function reindexObjects(
  session: Session,
  { kind, after, limit }: ReindexPage,
  termsOf: TermsOf,
): Promise<StoredObject | undefined> {
  const { rows } = await session.run<{ id: number; terms: string; doc: string }>(selectPage, [
    kind,
    after?.namespace ?? '',
    after?.name ?? '',
    limit,
  ]);
  let last: StoredObject | undefined;
  for (const { id, terms, doc } of rows) {
    last = JSON.parse(doc) as StoredObject;
    const wanted = termsOf(last);
    const text = JSON.stringify(wanted);
    if (text === terms) continue;
    const change = termChange(JSON.parse(terms) as Terms, wanted);
    const row = [kind, last.namespace, last.name, last.createdAt, id, text];
    await session.run(updateTerms, [...row, ...columns(change.removed), ...columns(change.added), ...sortingColumns(change)]);
  }
  return rows.length < limit ? undefined : last;
}

export interface DeletedObject {
  readonly resourceVersion: number;
  /** JSON of the last state. */
  readonly doc: string;
}

/** Undefined when absent. Throws `conflict` when another version than the expected one is stored. */
export async function deleteObject(
  session: Session,
  key: ResourceKey,
  expectedVersion: number | undefined,
): Promise<DeletedObject | undefined> {
  const { kind, namespace, name } = key;
  const values = [kind, namespace, name, expectedVersion ?? null];
  const row = await one(session.run<{ id: number; resource_version: number; terms: string; doc: string }>(remove, values));
  if (!row) return undefined;
  assertVersion(key, row, expectedVersion);
  const terms = JSON.parse(row.terms) as Terms;
  await session.run(removeTerms, [kind, ...columns(termRows(terms)), namespace, name]);
  const sorted = sortRows(terms);
  if (sorted.length > 0) await session.run(removeSorted, [kind, ...columns(sorted), namespace, name]);
  if (terms.text !== undefined) await removeText(session, row.id);
  return { resourceVersion: row.resource_version, doc: row.doc };
}
