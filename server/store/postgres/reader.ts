// The read half of the store over a session: any free connection, or the one of a transaction.
import { setImmediate } from 'node:timers/promises';
import type { ResourceKey } from '@svc/shared/resource';
import { readCount } from '../count-reading.ts';
import { readList } from '../list-reading.ts';
import type { CountShape, ListSource } from '../list-reading.ts';
import type { ListShape } from '../list-ranges.ts';
import type {
  Change,
  ChangePage,
  ChangeQuery,
  CountQuery,
  EventPage,
  EventQuery,
  JournalEntry,
  ListQuery,
  NameQuery,
  ObjectCount,
  ObjectPage,
  PageQuery,
  ReadyWorkPage,
  SearchPage,
  SearchQuery,
  Signal,
  SpecVersion,
  StoredObject,
  StoreReader,
  VersionEntry,
  VersionQuery,
  WorkCounts,
  WorkItem,
  WorkRequirements,
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

export abstract class PostgresReader implements StoreReader {
  /** Where the next statement runs. Throws after the end of the transaction or the store. */
  protected abstract use(): Session;

  /** The same for reads of the change log. */
  protected async useChanges(): Promise<Session> {
    return this.use();
  }

  async getObject(key: ResourceKey): Promise<StoredObject | undefined> {
    return objects.getObject(this.use(), key);
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

  async hasPendingTexts(): Promise<boolean> {
    return search.hasPendingTexts(this.use());
  }

  async countObjects(query: CountQuery): Promise<ObjectCount> {
    return readCount(this.#listSource(), query);
  }

  async findNames(query: NameQuery): Promise<ResourceKey[]> {
    return findNames(this.use(), query);
  }

  async readIndexedFields(keys: readonly ResourceKey[]): Promise<(Readonly<Record<string, string>> | undefined)[]> {
    return (await objects.getTerms(this.use(), keys)).map((terms) => terms?.fields);
  }

  async listNamespaces(): Promise<string[]> {
    return objects.listNamespaces(this.use());
  }

  async listVersions(uid: string, query: VersionQuery): Promise<VersionEntry[]> {
    return versions.listVersions(this.use(), uid, query);
  }

  async getVersion(uid: string, generation: number): Promise<SpecVersion | undefined> {
    return versions.getVersion(this.use(), uid, generation);
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

  async readJournal(stream: string, after: number, limit: number): Promise<JournalEntry[]> {
    return journal.readJournal(this.use(), stream, { after, limit });
  }

  async readSignals(stream: string): Promise<Signal[]> {
    return journal.readSignals(this.use(), stream);
  }

  async readEvents(owner: string, query: EventQuery): Promise<EventPage> {
    return events.readEvents(this.use(), owner, query);
  }

  async eventHead(owner: string): Promise<number> {
    return events.eventHead(this.use(), owner);
  }

  async getWorkItem(queue: string, key: string): Promise<WorkItem | undefined> {
    return work.getWorkItem(this.use(), queue, key);
  }

  async nextWorkAt(queue: string, now: number): Promise<number | undefined> {
    return work.nextWorkAt(this.use(), queue, now);
  }

  async listDemands(queue: string): Promise<WorkRequirements[]> {
    return workLists.listDemands(this.use(), queue);
  }

  async listReadyWork(queue: string, requirements: WorkRequirements, page: ReadyWorkPage): Promise<WorkItem[]> {
    return workLists.listReadyWork(this.use(), { queue, requirements }, page);
  }

  async countWork(queue: string, now: number): Promise<WorkCounts> {
    return workLists.countWork(this.use(), queue, now);
  }

  async getDocument(collection: string, id: string): Promise<Document | undefined> {
    return documents.getDocument(this.use(), { collection, id });
  }

  async listDocuments(collection: string, after: string, limit: number): Promise<{ id: string; document: Document }[]> {
    return documents.listDocuments(this.use(), { collection, id: after }, limit);
  }
}
