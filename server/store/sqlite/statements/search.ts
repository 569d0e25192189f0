// SQL of searches by words: what is to be indexed, the index, and its reading.
import { parseObject } from '../../parse-object.ts';
import { indexTerms, readSearch } from '../../search-reading.ts';
import type { IndexTerms, Matches, MatchRow } from '../../search-reading.ts';
import type { SearchPage, SearchQuery, TextBatch, TextIndex } from '../../store.ts';
import type { Connection, Statement } from '../connection.ts';
import type { ListStatements } from './lists.ts';

/** Without a namespace or within one. The index of words is read in the order of its ids, from the highest one. */
function matchSql(inNamespace: boolean): string {
  return `SELECT o.id, o.terms FROM search_words CROSS JOIN objects o ON o.id = search_words.rowid
    WHERE search_words MATCH ? AND search_words.rowid < ? AND o.kind = ?${inNamespace ? ' AND o.namespace = ?' : ''}
    ORDER BY search_words.rowid DESC LIMIT ?`;
}

/** Terms have no quotes. */
const blockText = (terms: IndexTerms): string => terms.map(({ text, begins }) => `"${text}"${begins ? ' *' : ''}`).join(' AND ');
const matchText = (blocks: readonly IndexTerms[]): string => blocks.map((terms) => `(${blockText(terms)})`).join(' OR ');

/** Statements by which the write of an object reaches the index. */
export function pendingTexts(connection: Connection) {
  const add = connection.prepare('INSERT OR IGNORE INTO search_pending (object_id) VALUES (?)');
  const removePending = connection.prepare('DELETE FROM search_pending WHERE object_id = ?');
  const removeWords = connection.prepare('DELETE FROM search_words WHERE rowid = ?');
  return {
    add: (id: number): void => void add.run(id),
    remove(id: number): void {
      removePending.run(id);
      removeWords.run(id);
    },
  };
}

export interface SearchParts {
  readonly lists: ListStatements;
  readonly texts: TextIndex | undefined;
  readonly pause: () => Promise<void>;
}

export function searchStatements(connection: Connection, { lists, texts, pause }: SearchParts) {
  const selectIndexed = connection.prepare<{ id: number }>(
    'SELECT rowid AS id FROM search_words WHERE rowid < ? ORDER BY rowid DESC LIMIT 1',
  );
  const statements = { true: connection.prepare<MatchRow>(matchSql(true)), false: connection.prepare<MatchRow>(matchSql(false)) };
  const selectAny = connection.prepare<{ pending: number }>('SELECT 1 AS pending FROM search_pending WHERE object_id > 0 LIMIT 1');
  const selectPending = connection.prepare<{ id: number; doc: string }>(
    `SELECT p.object_id AS id, o.doc FROM search_pending p CROSS JOIN objects o ON o.id = p.object_id WHERE p.object_id > 0
     ORDER BY p.object_id DESC LIMIT ?`,
  );
  const removePending = connection.prepare('DELETE FROM search_pending WHERE object_id = ?');
  const removeWords = connection.prepare('DELETE FROM search_words WHERE rowid = ?');
  const insertWords = connection.prepare('INSERT INTO search_words (rowid, words) VALUES (?, ?)');

  const matches = ({ blocks, kind, namespace, before, limit }: Matches): MatchRow[] => {
    const statement: Statement<MatchRow> = statements[`${namespace !== undefined}`];
    return statement.all(matchText(blocks), before, kind, ...(namespace === undefined ? [] : [namespace]), limit);
  };

  return {
    search: (query: SearchQuery, bytesMax: number): Promise<SearchPage> =>
      readSearch({ blocksMax: 1, indexedBefore: (id) => selectIndexed.get(id)?.id, matches, load: lists.load, pause }, query, bytesMax),
    hasPending: (): boolean => selectAny.get()?.pending === 1,
    /** Returns whether any may be left. */
    index({ objects, bytes }: TextBatch): boolean {
      let [done, size] = [0, 0];
      for (const { id, doc } of [...takeFitting(selectPending.iterate(objects), bytes)]) {
        const object = parseObject(doc);
        removePending.run(id);
        removeWords.run(id);
        if (texts?.versionOf(object) !== undefined) insertWords.run(id, indexTerms(id, object, texts.wordsOf(object)).join(' '));
        done += 1;
        size += doc.length;
      }
      return done > 0 && (done === objects || size >= bytes);
    },
  };
}

/** Rows until their JSON reaches this many bytes. */
function* takeFitting<Row extends { readonly doc: string }>(rows: Iterable<Row>, bytes: number): Generator<Row> {
  let left = bytes;
  for (const row of rows) {
    yield row;
    left -= row.doc.length;
    if (left <= 0) return;
  }
}
