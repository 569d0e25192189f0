// The read half of the store over one connection.
import { setImmediate } from 'node:timers/promises';
import type { ResourceKey } from '@svc/shared/resource';
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
import type { Topics } from './statements/topics.ts';

type Document = Readonly<Record<string, unknown>>;

/** Every method is async so that a failure is a rejection, as it is with any other engine. */
export class SqliteReader implements StoreReader {
  readonly #topics: Topics;

  constructor(topics: Topics) {
    this.#topics = topics;
  }

  /** The statements, for one call. A transaction refuses here once it is over. */
  protected use(): Topics {
    return this.#topics;
  }

  /** Lets the rest of the process run between stretches of a long list. */
  protected async pause(): Promise<void> {
    await setImmediate();
  }

  async getObject(key: ResourceKey): Promise<StoredObject | undefined> {
    return this.use().objects.get(key);
  }

  async listObjects(query: ListQuery): Promise<StoredObject[]> {
    return (await this.use().lists.list(query, () => this.pause())).objects;
  }

  async listPage(query: PageQuery, bytesMax: number): Promise<ObjectPage> {
    return this.use().lists.list(query, () => this.pause(), bytesMax);
  }

  async searchPage(query: SearchQuery, bytesMax: number): Promise<SearchPage> {
    return this.use().search.search(query, () => this.pause(), bytesMax);
  }

  async hasPendingTexts(): Promise<boolean> {
    return this.use().search.hasPending();
  }

  async countObjects(query: CountQuery): Promise<ObjectCount> {
    return this.use().lists.count(query, () => this.pause());
  }

  async findNames(query: NameQuery): Promise<ResourceKey[]> {
    return this.use().names.find(query);
  }

  async readIndexedFields(keys: readonly ResourceKey[]): Promise<(Readonly<Record<string, string>> | undefined)[]> {
    const { objects } = this.use();
    return keys.map((key) => objects.terms(key)?.fields);
  }

  async listNamespaces(): Promise<string[]> {
    return this.use().objects.namespaces();
  }

  async listVersions(uid: string, query: VersionQuery): Promise<VersionEntry[]> {
    return this.use().versions.list(uid, query);
  }

  async getVersion(uid: string, generation: number): Promise<SpecVersion | undefined> {
    return this.use().versions.get(uid, generation);
  }

  async readChanges(query: ChangeQuery): Promise<Change[]> {
    return this.use().changes.read(query);
  }

  async readChangePage(query: ChangeQuery, bytesMax: number): Promise<ChangePage> {
    return this.use().changes.readPage(query, bytesMax);
  }

  async changeBounds(): Promise<{ head: number; oldest: number }> {
    return this.use().changes.bounds();
  }

  async readJournal(stream: string, after: number, limit: number): Promise<JournalEntry[]> {
    return this.use().journal.read(stream, after, limit);
  }

  async readSignals(stream: string): Promise<Signal[]> {
    return this.use().journal.signals(stream);
  }

  async readEvents(owner: string, query: EventQuery): Promise<EventPage> {
    return this.use().events.read(owner, query);
  }

  async eventHead(owner: string): Promise<number> {
    return this.use().events.head(owner);
  }

  async getWorkItem(queue: string, key: string): Promise<WorkItem | undefined> {
    return this.use().work.get(queue, key);
  }

  async nextWorkAt(queue: string, now: number): Promise<number | undefined> {
    return this.use().work.nextWorkAt(queue, now);
  }

  async listDemands(queue: string): Promise<WorkRequirements[]> {
    return this.use().workLists.demands(queue);
  }

  async listReadyWork(queue: string, requirements: WorkRequirements, page: ReadyWorkPage): Promise<WorkItem[]> {
    return this.use().workLists.ready(queue, requirements, page);
  }

  async countWork(queue: string, now: number): Promise<WorkCounts> {
    return this.use().workLists.counts(queue, now);
  }

  async getDocument(collection: string, id: string): Promise<Document | undefined> {
    return this.use().documents.get(collection, id);
  }

  async listDocuments(collection: string, after: string, limit: number): Promise<{ id: string; document: Document }[]> {
    return this.use().documents.list(collection, after, limit);
  }
}
