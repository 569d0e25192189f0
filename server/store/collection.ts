// One collection of documents, by the type of what its writers store in it. Every write is part of the caller's transaction.
import type { StoreReader, StoreTransaction } from './store.ts';

type Document = Readonly<Record<string, unknown>>;

export interface Row<Stored> {
  readonly id: string;
  readonly document: Stored;
}

/** Nothing else writes the collection, so that its documents are of their type unchecked. */
export class Collection<Stored extends object = Document> {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async get(reader: Pick<StoreReader, 'getDocument'>, id: string): Promise<Stored | undefined> {
    return (await reader.getDocument(this.#name, id)) as Stored | undefined;
  }

  put(tx: StoreTransaction, id: string, document: Stored): Promise<void> {
    return tx.putDocument(this.#name, id, document as Document);
  }

  /** False when absent. */
  remove(tx: StoreTransaction, id: string): Promise<boolean> {
    return tx.deleteDocument(this.#name, id);
  }

  /** Removes a document and returns it. */
  async take(tx: StoreTransaction, id: string): Promise<Stored | undefined> {
    const found = await this.get(tx, id);
    if (found) await this.remove(tx, id);
    return found;
  }

  /** Up to `limit` documents behind the id `after`, in the order of their ids. */
  async list(reader: Pick<StoreReader, 'listDocuments'>, after: string, limit: number): Promise<Row<Stored>[]> {
    return (await reader.listDocuments(this.#name, after, limit)) as unknown as Row<Stored>[];
  }

  /** Those whose ids begin with `prefix`, behind `prefix` and `after`. */
  async listUnder(
    reader: Pick<StoreReader, 'listDocuments'>,
    prefix: string,
    { after = '', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<Row<Stored>[]> {
    return (await this.list(reader, `${prefix}${after}`, limit)).filter(({ id }) => id.startsWith(prefix));
  }

  /** All documents in the order of their ids, read in pages. */
  async *all(reader: Pick<StoreReader, 'listDocuments'>, pageSize: number): AsyncGenerator<Row<Stored>> {
    for (let after = ''; ;) {
      const page = await this.list(reader, after, pageSize);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < pageSize) return;
      after = last.id;
    }
  }
}
