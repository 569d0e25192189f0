// SQL that reads objects.
import type { ResourceKey } from '@svc/shared/resource';
import type { LoadedObjects } from '../../list-reading.ts';
import type { StoredObject } from '../../store.ts';
import type { Terms } from '../../terms.ts';
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';
import type { LockedObject } from './object-writes.ts';
import { parseObject } from '../../parse-object.ts';

const selectDoc = statement('SELECT doc FROM objects WHERE kind = $1 AND namespace = $2 AND name = $3');
// NO KEY: rows that refer to the key may be written.
const selectDocForUpdate = statement('SELECT doc, terms FROM objects WHERE kind = $1 AND namespace = $2 AND name = $3 FOR NO KEY UPDATE');
const selectDocsById = statement('SELECT id, doc FROM objects WHERE id = ANY ($1::bigint[])');
// A document that does not fit comes without its text; the first one always fits. The length of a large text is known without reading it.
const selectFittingDocs = statement(
  `SELECT id, CASE WHEN total <= $2::bigint OR place = 1 THEN doc END AS doc
   FROM (
     SELECT o.id, o.doc, sum(octet_length(o.doc)) OVER (ORDER BY wanted.place ROWS UNBOUNDED PRECEDING) AS total,
       row_number() OVER (ORDER BY wanted.place) AS place
     FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (id, place) JOIN objects o ON o.id = wanted.id
   ) found WHERE total - octet_length(doc) <= $2::bigint OR place = 2`,
);
const selectTerms = statement(
  `SELECT k.place, o.terms FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k (kind, namespace, name, place)
   JOIN objects o ON o.kind = k.kind AND o.namespace = k.namespace AND o.name = k.name`,
);
// Steps from one (kind, namespace) to the next, so that the cost is their number and not the number of objects.
const selectNamespaces = statement(
  `WITH RECURSIVE step AS (
     (SELECT kind, namespace FROM objects ORDER BY kind, namespace LIMIT 1)
     UNION ALL
     SELECT following.kind, following.namespace FROM step CROSS JOIN LATERAL
       (SELECT o.kind, o.namespace FROM objects o WHERE (o.kind, o.namespace) > (step.kind, step.namespace)
        ORDER BY o.kind, o.namespace LIMIT 1) following
   ) SELECT namespace FROM step`,
);

interface DocRow {
  doc: string;
}

function parse(row: DocRow | undefined): StoredObject | undefined {
  return row && parseObject(row.doc);
}

function keyValues({ kind, namespace, name }: ResourceKey): [string, string, string] {
  return [kind, namespace, name];
}

export async function getObject(session: Session, key: ResourceKey): Promise<StoredObject | undefined> {
  return parse(await one(session.run<DocRow>(selectDoc, keyValues(key))));
}

/** Until its transaction ends nobody else writes the object. With the JSON of its terms. */
export async function getObjectForUpdate(session: Session, key: ResourceKey): Promise<LockedObject | undefined> {
  const row = await one(session.run<DocRow & { terms: string }>(selectDocForUpdate, keyValues(key)));
  return row && { object: parseObject(row.doc), terms: row.terms };
}

async function getObjectsById(session: Session, ids: readonly number[]): Promise<Map<number, StoredObject>> {
  const { rows } = await session.run<{ id: number; doc: string }>(selectDocsById, [ids]);
  return new Map(rows.map(({ id, doc }) => [id, parseObject(doc)]));
}

/** In the order of the ids, as long as they fit into `bytesMax`; the first one whatever its size. */
export async function getFittingObjects(session: Session, ids: readonly number[], bytesMax: number): Promise<LoadedObjects> {
  if (!Number.isFinite(bytesMax)) return { objects: await getObjectsById(session, ids), size: 0, full: false };
  const { rows } = await session.run<{ id: number; doc: string | null }>(selectFittingDocs, [ids, Math.max(0, bytesMax)]);
  const objects = new Map<number, StoredObject>();
  let size = 0;
  for (const { id, doc } of rows) {
    if (doc === null) continue;
    objects.set(id, parseObject(doc));
    size += Buffer.byteLength(doc);
  }
  return { objects, size, full: objects.size < rows.length };
}

/** In the order of the keys; undefined for what does not exist. */
export async function getTerms(session: Session, keys: readonly ResourceKey[]): Promise<(Terms | undefined)[]> {
  const columns = [keys.map(({ kind }) => kind), keys.map(({ namespace }) => namespace), keys.map(({ name }) => name)];
  const { rows } = await session.run<{ place: number; terms: string }>(selectTerms, columns);
  const found = new Map(rows.map(({ place, terms }) => [place - 1, JSON.parse(terms) as Terms]));
  return keys.map((_, index) => found.get(index));
}

export async function listNamespaces(session: Session): Promise<string[]> {
  const { rows } = await session.run<{ namespace: string }>(selectNamespaces);
  return [...new Set(rows.map(({ namespace }) => namespace))].sort();
}
