// SQL of searches by words: what is to be indexed, the index, and its reading.
import { allOf } from '../../all-of.ts';
import { parseObject } from '../../parse-object.ts';
import { indexTerms } from '../../search-reading.ts';
import type { IndexTerms, Matches, MatchRow } from '../../search-reading.ts';
import type { TextBatch, TextIndex } from '../../store.ts';
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';

const selectIndexed = statement('SELECT object_id AS id FROM search_words WHERE object_id < $1 ORDER BY object_id DESC LIMIT 1');

/** Blocks have few matches, whatever the words: their ids are sorted. */
function matchSql(inNamespace: boolean): string {
  return `SELECT o.id, o.terms FROM
      (SELECT id FROM search_matches($1::tsquery) AS match (id) WHERE id < $2 ORDER BY id DESC LIMIT $4) found
    JOIN objects o ON o.id = found.id WHERE o.kind = $3${inNamespace ? ' AND o.namespace = $5' : ''} ORDER BY o.id DESC`;
}

const matchAnywhere = statement(matchSql(false));
const matchInNamespace = statement(matchSql(true));
const selectAny = statement('SELECT EXISTS (SELECT 1 FROM search_pending WHERE object_id > 0) AS pending');
// Objects that others are writing are left for the next time. The rows are locked in the order of all writers: objects first.
const selectPending = statement(
  `SELECT o.id, o.doc FROM (SELECT object_id FROM search_pending WHERE object_id > 0 ORDER BY object_id DESC LIMIT $1) p
   CROSS JOIN LATERAL (SELECT id, doc FROM objects WHERE id = p.object_id FOR NO KEY UPDATE SKIP LOCKED) o`,
);
const removePending = statement('DELETE FROM search_pending WHERE object_id = ANY ($1::bigint[])');
const putWords = statement(
  `INSERT INTO search_words (object_id, words) VALUES ($1, array_to_tsvector($2::text[]))
   ON CONFLICT (object_id) DO UPDATE SET words = excluded.words`,
);
const removeWords = statement('DELETE FROM search_words WHERE object_id = ANY ($1::bigint[])');

/** Terms have no quotes. */
const blockText = (terms: IndexTerms): string => terms.map(({ text, begins }) => `'${text}'${begins ? ':*' : ''}`).join(' & ');
const queryText = (blocks: readonly IndexTerms[]): string => blocks.map((terms) => `(${blockText(terms)})`).join(' | ');

/** Each statement is a round trip. */
export const BLOCKS_MAX = 16;

export async function indexedBefore(session: Session, id: number): Promise<number | undefined> {
  return (await one(session.run<{ id: number }>(selectIndexed, [id])))?.id;
}

export async function findMatches(session: Session, { blocks, kind, namespace, before, limit }: Matches): Promise<MatchRow[]> {
  const sql = namespace === undefined ? matchAnywhere : matchInNamespace;
  const values = [queryText(blocks), before, kind, limit, ...(namespace === undefined ? [] : [namespace])];
  return (await session.run<MatchRow>(sql, values)).rows;
}

export async function hasPendingTexts(session: Session): Promise<boolean> {
  return (await one(session.run<{ pending: boolean }>(selectAny)))?.pending === true;
}

/** Removes a deleted object from the index. */
export async function removeText(session: Session, id: number): Promise<void> {
  await Promise.all([session.run(removePending, [[id]]), session.run(removeWords, [[id]])]);
}

/** Returns whether any may be left. */
export async function indexTexts(session: Session, { objects, bytes }: TextBatch, texts: TextIndex | undefined): Promise<boolean> {
  const { rows } = await session.run<{ id: number; doc: string }>(selectPending, [objects]);
  const taken = fitting(rows, bytes);
  await session.run(removePending, [taken.map(({ id }) => id)]);
  await allOf(
    taken.map(({ id, doc }) => {
      const object = parseObject(doc);
      const known = texts?.versionOf(object) !== undefined;
      return known ? session.run(putWords, [id, indexTerms(id, object, texts.wordsOf(object))]) : session.run(removeWords, [[id]]);
    }),
  );
  return taken.length > 0 && (taken.length < rows.length || rows.length === objects);
}

/** Rows until their JSON reaches this many characters. */
function fitting<Row extends { readonly doc: string }>(rows: readonly Row[], bytes: number): Row[] {
  let left = bytes;
  return rows.filter(({ doc }) => {
    const taken = left > 0;
    left -= doc.length;
    return taken;
  });
}
