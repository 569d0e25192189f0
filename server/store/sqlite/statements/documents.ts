// SQL of small documents: tokens, keys, dedupe records and other things that are not resources.
import type { Connection } from '../connection.ts';

type Document = Readonly<Record<string, unknown>>;

export function documentStatements(connection: Connection) {
  const select = connection.prepare<{ document: string }>('SELECT document FROM documents WHERE collection = ? AND id = ?');
  const selectPage = connection.prepare<{ id: string; document: string }>(
    'SELECT id, document FROM documents WHERE collection = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const upsert = connection.prepare(
    `INSERT INTO documents (collection, id, document) VALUES (?, ?, ?)
     ON CONFLICT (collection, id) DO UPDATE SET document = excluded.document`,
  );
  const remove = connection.prepare('DELETE FROM documents WHERE collection = ? AND id = ?');

  return {
    get(collection: string, id: string): Document | undefined {
      const text = select.get(collection, id)?.document;
      return text === undefined ? undefined : (JSON.parse(text) as Document);
    },
    list(collection: string, after: string, limit: number): { id: string; document: Document }[] {
      return selectPage.all(collection, after, limit).map((row) => ({ id: row.id, document: JSON.parse(row.document) as Document }));
    },
    put(collection: string, id: string, document: Document): void {
      upsert.run(collection, id, JSON.stringify(document));
    },
    remove: (collection: string, id: string): boolean => remove.run(collection, id) > 0,
  };
}
