// SQL of small documents: tokens, keys, dedupe records and other things that are not resources.
import { one, statement } from '../session.ts';
import type { Session } from '../session.ts';

type Document = Readonly<Record<string, unknown>>;

export interface DocumentKey {
  readonly collection: string;
  readonly id: string;
}

const select = statement('SELECT document FROM documents WHERE collection = $1 AND id = $2');
const selectPage = statement('SELECT id, document FROM documents WHERE collection = $1 AND id > $2 ORDER BY id LIMIT $3');
const upsert = statement(
  `INSERT INTO documents (collection, id, document) VALUES ($1, $2, $3)
   ON CONFLICT (collection, id) DO UPDATE SET document = excluded.document`,
);
const remove = statement('DELETE FROM documents WHERE collection = $1 AND id = $2');

export async function getDocument(session: Session, { collection, id }: DocumentKey): Promise<Document | undefined> {
  const text = (await one(session.run<{ document: string }>(select, [collection, id])))?.document;
  return text === undefined ? undefined : (JSON.parse(text) as Document);
}

/** Those whose id is greater than the key's, ordered by id. */
export async function listDocuments(session: Session, after: DocumentKey, limit: number): Promise<{ id: string; document: Document }[]> {
  const { rows } = await session.run<{ id: string; document: string }>(selectPage, [after.collection, after.id, limit]);
  return rows.map((row) => ({ id: row.id, document: JSON.parse(row.document) as Document }));
}

export async function putDocument(session: Session, { collection, id }: DocumentKey, document: Document): Promise<void> {
  await session.run(upsert, [collection, id, JSON.stringify(document)]);
}

/** False when absent. */
export async function removeDocument(session: Session, { collection, id }: DocumentKey): Promise<boolean> {
  return (await session.run(remove, [collection, id])).count > 0;
}
