// The read half of the store over a session: any free connection, or the one of a transaction.
import { setImmediate } from 'node:timers/promises';
import type { ResourceKey } from '@svc/shared/resource';
import { readCount } from '../count-reading.ts';
import { readList } from '../list-reading.ts';
import type { CountShape, ListSource } from '../list-reading.ts';
import type { ListShape } from '../list-ranges.ts';
import { withOperations, type Operations } from '../operations.ts';
import type {
  Change,
  ChangePage,
  ChangeQuery,
  CountQuery,
  ListQuery,
  ObjectCount,
  ObjectPage,
  PageQuery,
  SearchPage,
  SearchQuery,
  StoredObject,
  StoreReader,
} from '../store.ts';
import { readSearch } from '../search-reading.ts';
import type { Matches } from '../search-reading.ts';
import type { Session } from './session.ts';
import * as changes from './statements/changes.ts';
import * as documents from './statements/documents.ts';
import * as events from './statements/events.ts';
import * as journal from './statements/journal.ts';
import { countRows, fetchListRows, readNextValue } from './statements/lists.ts';
import { findNames } from './statements/names.ts';
import * as objects from './statements/objects.ts';
import * as search from './statements/search.ts';
import * as versions from './statements/versions.ts';
import * as workLists from './statements/work-lists.ts';
import * as work from './statements/work.ts';

type Document = Readonly<Record<string, unknown>>;

/** Reads that need nothing but their statement. */
const reads = {
  hasPendingTexts: search.hasPendingTexts,
  findNames,
  readIndexedFields: async (session, keys) => (await objects.getTerms(session, keys)).map((terms) => terms?.fields),
  listNamespaces: objects.listNamespaces,
  listVersions: versions.listVersions,
  getVersion: versions.getVersion,
  readJournal: (session, ...[stream, after, limit]) => journal.readJournal(session, stream, { after, limit }),
  readSignals: journal.readSignals,
  readEvents: events.readEvents,
  eventHead: events.eventHead,
  getWorkItem: work.getWorkItem,
  nextWorkAt: work.nextWorkAt,
  listDemands: workLists.listDemands,
  listReadyWork: (session, ...[queue, requirements, page]) => workLists.listReadyWork(session, { queue, requirements }, page),
  countWork: workLists.countWork,
  countHeldWork: workLists.countHeldWork,
  listDocuments: (session, ...[collection, id, limit]) => documents.listDocuments(session, { collection, id }, limit),
} satisfies Partial<Operations<Session, StoreReader>>;

type Reads = Pick<StoreReader, keyof typeof reads>;

export abstract class PostgresReader extends withOperations<Session, Reads>(reads) implements StoreReader {
  /** The session for reads of the change log. */
  protected async useChanges(): Promise<Session> {
    return this.use();
  }

  async getObject(key: ResourceKey): Promise<StoredObject | undefined> {
    return objects.getObject(this.use(), key);
  }

  async getDocument(collection: string, id: string): Promise<Document | undefined> {
    return documents.getDocument(this.use(), { collection, id });
  }

  async listObjects(query: ListQuery): Promise<StoredObject[]> {
    return (await this.#list(query)).objects;
  }

  async listPage(query: PageQuery, bytesMax: number): Promise<ObjectPage> {
    return this.#list(query, bytesMax);
  }

  #list(query: PageQuery, bytesMax?: number): Promise<ObjectPage> {
    return readList(this.#listSource(), query, bytesMax);
  }

  #listSource(): ListSource {
    return {
      fetch: (shape: ListShape, values) => fetchListRows(this.use(), shape, values),
      count: (shape: CountShape, values) => countRows(this.use(), shape, values),
      nextValue: (term, value, descending) => readNextValue(this.use(), { ...term, value }, descending),
      load: (ids: readonly number[], room: number) => objects.getFittingObjects(this.use(), ids, room),
      lastKnown: async (key: ResourceKey) => (await this.getObject(key)) ?? changes.lastState(await this.useChanges(), key),
      pause: () => setImmediate(),
    };
  }

  async searchPage(query: SearchQuery, bytesMax: number): Promise<SearchPage> {
    const source = {
      blocksMax: search.BLOCKS_MAX,
      indexedBefore: (id: number) => search.indexedBefore(this.use(), id),
      matches: (matches: Matches) => search.findMatches(this.use(), matches),
      load: (ids: readonly number[], room: number) => objects.getFittingObjects(this.use(), ids, room),
      pause: () => setImmediate(),
    };
    return readSearch(source, query, bytesMax);
  }

  async countObjects(query: CountQuery): Promise<ObjectCount> {
    return readCount(this.#listSource(), query);
  }

  async readChanges(query: ChangeQuery): Promise<Change[]> {
    return changes.readChanges(await this.useChanges(), query);
  }

  async readChangePage(query: ChangeQuery, bytesMax: number): Promise<ChangePage> {
    return changes.readChangePage(await this.useChanges(), query, bytesMax);
  }

  async changeBounds(): Promise<{ head: number; oldest: number }> {
    return changes.changeBounds(await this.useChanges());
  }
}
