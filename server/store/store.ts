// The store as the rest of the server sees it: objects, the change log, run journals, signals, event streams, the work queue, small documents.
// Two engines implement it (sqlite/, postgres/) and pass one conformance suite. It is independent of kinds and rules.
import type { FieldRequirement } from '@svc/shared/field-selector';
import type { LabelRequirement } from '@svc/shared/labels';
import type { SearchWord } from '@svc/shared/search-text';
import type { ResourceKey } from '@svc/shared/resource';
import type { ListCursor, ListOrder } from './list-order.ts';
import type { Claim, ClaimQuery, NewWorkItem, ReadyWorkPage, WorkCounts, WorkItem, WorkRelease, WorkRequirements } from './work-queue.ts';

export type {
  Claim,
  ClaimQuery,
  FormerOwner,
  NewWorkItem,
  ReadyWorkPage,
  WorkCounts,
  WorkItem,
  WorkRelease,
  WorkRequirements,
} from './work-queue.ts';

// ---------------------------------------------------------------- objects

/** A resource as stored. `spec` and `status` are JSON; `apiVersion` is implied. */
export interface StoredObject extends ResourceKey {
  readonly uid: string;
  /** 1 on insert, +1 on each update. */
  readonly resourceVersion: number;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** RFC 3339 UTC with milliseconds, so that text order is time order. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Principals by name: of the creation, of the last write and of the last change of the spec. Absent where a version without them wrote. */
  readonly createdBy?: string;
  readonly updatedBy?: string;
  readonly specBy?: string;
  /** Time of the last change of the spec. Absent in generation 1, whose spec is as old as the object, and where a version without it wrote. */
  readonly specAt?: string;
  /** Further principals that count as creators: those of the object that this one repeats, and who replaced a text of its run. */
  readonly alsoBy?: readonly string[];
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

export type { FieldRequirement, LabelRequirement };

export interface ListQuery {
  readonly kind: string;
  /** Absent: every namespace. */
  readonly namespace?: string;
  readonly after?: ListCursor;
  /** At most this many items; cost depends on it and not on the table. */
  readonly limit: number;
  readonly labels?: readonly LabelRequirement[];
  /** By indexed paths. */
  readonly fields?: readonly FieldRequirement[];
  /** Only objects that refer to this one, by the store's `ReferencesOf`. */
  readonly references?: ResourceKey;
  /** Default `name`: namespace then name, bytewise. */
  readonly order?: ListOrder;
}

export interface PageQuery extends ListQuery {
  /** Only names that contain this text, in any case. With an order by key only. A page searches NAMES_PER_PAGE names at most. */
  readonly namePart?: string;
}

/** A page that is bounded by size as well as by number. */
export interface ObjectPage {
  readonly objects: StoredObject[];
  /** The size ended the page before its limit: at least one more object follows. */
  readonly full: boolean;
  /** For a list by a part of the name: number of names searched. */
  readonly examined?: number;
  /** Start of the next page, when the bound of searched names ended this one: more may follow. */
  readonly reached?: ListCursor;
}

/**
 * References of an object for the index: given when a store is opened, because the store is independent of kinds. Pure and total.
 * Left out are references that an indexed field holds: they are found by the field.
 */
export type ReferencesOf = (object: StoredObject) => readonly ResourceKey[];

/** Sort values of an object by name, as texts that order as they do, none empty; an empty record while it has none. Undefined: its kind has none. Pure and total. */
export type SortValuesOf = (object: StoredObject) => Readonly<Record<string, string>> | undefined;

/** Searchable texts of objects. */
export interface TextIndex {
  /** Another text whenever the words may be others; undefined: the object's kind has none. Pure, total and cheap: computed with each write. */
  readonly versionOf: (object: StoredObject) => string | undefined;
  /** Different words, folded as `wordsOf` folds them. Pure and total. */
  readonly wordsOf: (object: StoredObject) => readonly string[];
}

/** Contents of the index for an object, beside its labels and indexed fields. Default: nothing. */
export interface IndexFunctions {
  readonly referencesOf?: ReferencesOf;
  readonly sortValuesOf?: SortValuesOf;
  readonly texts?: TextIndex;
}

/** Objects whose words are in the index, newest first: those stored later come before those stored earlier. */
export interface SearchQuery extends Pick<ListQuery, 'kind' | 'namespace' | 'limit' | 'labels' | 'fields'> {
  /** All of them must be in the object; one at least. */
  readonly words: readonly SearchWord[];
  /** `continue` of the page before. */
  readonly before?: number;
}

export interface SearchPage {
  readonly objects: StoredObject[];
  /** Cursor of each object: the next page begins after it. */
  readonly places: readonly number[];
  /** Present when more may follow. The page may then hold any number of objects, none among them: a search examines a bounded number for one page. */
  readonly continue?: number;
}

/** Bounds of one transaction that indexes texts. */
export interface TextBatch {
  readonly objects: number;
  /** Bytes of stored JSON; one object is indexed whatever its size. */
  readonly bytes: number;
}

export interface CountQuery extends Pick<ListQuery, 'kind' | 'namespace' | 'labels' | 'fields' | 'references'> {
  /** Only objects after this one in the order of creation; its `createdAt` is given. */
  readonly after?: ListCursor & { readonly createdAt: string };
  /** Counting stops here, and with more than one requirement also after looking at this many objects. */
  readonly max: number;
}

export interface ObjectCount {
  readonly count: number;
  /** True when counting stopped early: there are at least `count`. */
  readonly more: boolean;
}

export interface NameQuery {
  readonly kinds: readonly string[];
  /** Absent: every namespace. */
  readonly namespace?: string;
  /** `exact` and `prefix` look at all names, by their bytes within one namespace and ignoring case over all; `word` (a part of the name begins with it) and `part` ignore case and look at the newest NEWEST_NAMES of each kind. */
  readonly match: 'exact' | 'prefix' | 'word' | 'part';
  /** Not empty. */
  readonly text: string;
  /** At most this many of each kind. */
  readonly limit: number;
}

// ---------------------------------------------------------------- versions of specs

/** A replaced spec of an object, without the spec itself. */
export interface VersionEntry {
  /** Generation of the object while it had this spec. */
  readonly generation: number;
  /** RFC 3339 UTC with milliseconds, as all times of the store. */
  readonly writtenAt: string;
  /** Principal by name. Absent where it is not known. */
  readonly writtenBy?: string;
  readonly replacedAt: string;
}

export interface SpecVersion extends VersionEntry {
  readonly spec: StoredObject['spec'];
}

export interface VersionQuery {
  /** Versions of a generation smaller than this. */
  readonly before: number;
  readonly limit: number;
}

/** Versions of one object that stay, newest first; the newest one stays whatever its size. */
export interface VersionLimits {
  readonly number: number;
  /** UTF-8 bytes of their JSON in total. */
  readonly bytes: number;
}

// ---------------------------------------------------------------- change log

export type ChangeType = 'created' | 'updated' | 'deleted' | 'fact';

/** A controller's fact beside the resource changes: `task.claimed`, `worker.not_ready`, … */
export interface Fact {
  /** Dotted type, such as `task.claimed`. */
  readonly type: string;
  /** Component that records the fact: `worker`, `engine`, `auth`, … */
  readonly source: string;
  readonly action: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** One row of the log. `seq` has no gaps and is in commit order over the whole store. */
export interface Change extends ResourceKey {
  readonly seq: number;
  readonly timestamp: string;
  readonly type: ChangeType;
  readonly resourceVersion: number;
  /** The state after the change (`deleted`: the last state); absent for facts. */
  readonly object?: StoredObject;
  readonly fact?: Fact;
}

export interface ChangeQuery {
  /** Changes with `seq` greater than this. */
  readonly after: number;
  readonly limit: number;
  /** Newest first; `after` is then an upper bound, exclusive (0 or absent: from the head). */
  readonly descending?: boolean;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A stretch of the log that is bounded by size as well as by number. */
export interface ChangePage {
  readonly changes: Change[];
  /** The size ended the stretch before its limit: at least one more change follows. */
  readonly full: boolean;
}

// ---------------------------------------------------------------- journal and signals

/** An entry to append. `data` is JSON. */
export interface NewJournalEntry {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An entry of one run's journal; `seq` begins at 1 and has no gaps within its stream. */
export interface JournalEntry extends NewJournalEntry {
  readonly seq: number;
}

/** A message to a run from outside its claim (cancel, approval decided). Kept until the run's owner consumes it. */
export interface Signal {
  readonly id: number;
  readonly stream: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

// ---------------------------------------------------------------- event streams

/** An event to append. `data` is JSON. */
export type NewStreamEvent = NewJournalEntry;

/** An event of one owner's stream; `seq` begins at 1, has no gaps within the stream, and is in commit order. */
export type StreamEvent = JournalEntry;

export interface EventQuery {
  /** Events with `seq` greater than this. */
  readonly after: number;
  readonly limit: number;
  /** Stops before the stored data of the page passes this; one event is returned whatever its size. Never loads more than that. Absent: no bound. */
  readonly bytesMax?: number;
}

/** A stretch of a stream that is bounded by size as well as by number. */
export interface EventPage {
  readonly events: StreamEvent[];
  /** The size ended the page before its limit: at least one more event follows. */
  readonly full: boolean;
}

// ---------------------------------------------------------------- reader, transaction, store

export interface DeleteOptions {
  readonly expectedVersion?: number;
  /** Principal of the deletion, by name. */
  readonly by?: string;
}

/** Called with an existing database ahead of the upgrade of its schema, which a rejection prevents; nothing has been changed then. */
export type BeforeUpgrade = (reader: Pick<StoreReader, 'getDocument'>) => Promise<void>;

/** Reads outside a transaction see a committed state. */
export interface StoreReader {
  getObject(key: ResourceKey): Promise<StoredObject | undefined>;
  listObjects(query: ListQuery): Promise<StoredObject[]>;
  /** Like listObjects, but stops before the stored JSON of the page passes `bytesMax`; one object is returned whatever its size. Never loads more than that. */
  listPage(query: PageQuery, bytesMax: number): Promise<ObjectPage>;
  /** Like listPage, for a search. The cost is that of the objects examined, of which a page has a bound. Finds the texts that `indexTexts` has seen. */
  searchPage(query: SearchQuery, bytesMax: number): Promise<SearchPage>;
  /** Whether texts were written that are not in the index yet. */
  hasPendingTexts(): Promise<boolean>;
  /** Reads indexes only; the cost is bounded by `max`. Throws `invalid` for a field without an index. */
  countObjects(query: CountQuery): Promise<ObjectCount>;
  /** Reads indexes only; grouped by kind in the order of `kinds`, within it `exact` and `prefix` by name, then namespace. */
  findNames(query: NameQuery): Promise<ResourceKey[]>;
  /** The indexed fields of each object, in the order of the keys; undefined for one that does not exist. Reads no documents. */
  readIndexedFields(keys: readonly ResourceKey[]): Promise<(Readonly<Record<string, string>> | undefined)[]>;
  /** Namespaces that hold at least one object, ordered. */
  listNamespaces(): Promise<string[]>;

  /** Kept versions of the object of this uid, newest first. */
  listVersions(uid: string, query: VersionQuery): Promise<VersionEntry[]>;
  getVersion(uid: string, generation: number): Promise<SpecVersion | undefined>;

  readChanges(query: ChangeQuery): Promise<Change[]>;
  /** Like readChanges, but stops before the stored JSON of the objects passes `bytesMax`; one change is returned whatever its size. Never loads more than that. */
  readChangePage(query: ChangeQuery, bytesMax: number): Promise<ChangePage>;
  /** The newest seq (0 when empty) and the oldest one retained (head + 1 when none is). */
  changeBounds(): Promise<{ head: number; oldest: number }>;

  readJournal(stream: string, after: number, limit: number): Promise<JournalEntry[]>;
  readSignals(stream: string): Promise<Signal[]>;

  readEvents(owner: string, query: EventQuery): Promise<EventPage>;
  /** The newest seq of the owner's stream; 0 when it has none. */
  eventHead(owner: string): Promise<number>;

  getWorkItem(queue: string, key: string): Promise<WorkItem | undefined>;
  /** The earliest moment (ms) after `now` at which an item becomes claimable by time alone (notBefore or lease expiry). */
  nextWorkAt(queue: string, now: number): Promise<number | undefined>;
  /** The different requirements of items that are ready to be claimed. Steps from one to the next: cost is their number, not the number of items. */
  listDemands(queue: string): Promise<WorkRequirements[]>;
  /** Ready items of exactly these requirements, in order of rank, then key. */
  listReadyWork(queue: string, requirements: WorkRequirements, page: ReadyWorkPage): Promise<WorkItem[]>;
  /** Reads the queue's index: for metrics that are requested now and then. */
  countWork(queue: string, now: number): Promise<WorkCounts>;
  /** Items under a lease that has not ended, among the `limit` items that wake first: leases end sooner than most waits. */
  countHeldWork(queue: string, limit: number): Promise<number>;

  getDocument(collection: string, id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Ordered by id, bytewise. */
  listDocuments(collection: string, after: string, limit: number): Promise<{ id: string; document: Readonly<Record<string, unknown>> }[]>;
}

/**
 * Writes of one transaction: all or none. Only ever await this object's own methods inside it: other waits hold up every writer.
 * Any method may throw WriteRace (write-race.ts): another transaction came first, and the whole of this one may be run again.
 */
export interface StoreTransaction extends StoreReader {
  /** Reads an object that this transaction is going to write: until it ends nobody else writes it. */
  getObjectForUpdate(key: ResourceKey): Promise<StoredObject | undefined>;
  /** Inserts with resourceVersion 1 and appends a `created` change. Throws `conflict` when the key exists. */
  insertObject(object: StoredObject): Promise<void>;
  /** Replaces the object whose version is `object.resourceVersion - 1` and appends an `updated` change. Throws `conflict` when the stored version differs, `not_found` when it is gone. `previous`, what the caller takes to be stored, saves a round trip where this transaction has not read it. */
  updateObject(object: StoredObject, previous?: StoredObject): Promise<void>;
  /**
   * Replaces what is stored of an object and keeps its version: no change is recorded and no index entry is touched. For a form that means
   * the same, such as values encrypted with another key. Throws `conflict` when the stored version or uid differs.
   */
  rewriteObject(object: StoredObject): Promise<void>;
  /**
   * Deletes and appends a `deleted` change carrying the last state, with `by` as its `updatedBy`. Returns the state as it was stored, or undefined
   * when absent. Throws `conflict` when `expectedVersion` is given and differs.
   */
  deleteObject(key: ResourceKey, timestamp: string, options?: DeleteOptions): Promise<StoredObject | undefined>;
  /** Adds the newest version of the object of this uid and drops those that exceed the limits. The caller has locked the object. */
  keepVersion(uid: string, version: SpecVersion, limits: VersionLimits): Promise<void>;
  /** Drops every version of the object of this uid. */
  deleteVersions(uid: string): Promise<void>;
  /**
   * Brings the index entries of up to `limit` objects of a kind up to what this process computes, in order of namespace and name, and changes nothing
   * else: for objects that an older version wrote. Returns where to continue, undefined at the end.
   */
  reindexObjects(kind: string, after: ListCursor | undefined, limit: number): Promise<ListCursor | undefined>;
  /** Brings texts into the index that were written since, the newest first. Returns whether any may be left. */
  indexTexts(batch: TextBatch): Promise<boolean>;
  appendFact(key: ResourceKey, timestamp: string, fact: Fact): Promise<void>;

  /** Appends in order after `lastSeq`. Throws LeaseLost when the claim's fence is stale or the stream has moved past `lastSeq`. */
  appendJournal(claim: Claim, lastSeq: number, entries: readonly NewJournalEntry[]): Promise<void>;
  deleteJournal(stream: string): Promise<void>;
  /** Adds a signal and makes a parked item claimable. */
  sendSignal(queue: string, signal: Omit<Signal, 'id'>): Promise<void>;
  /** Removes consumed signals, under the claim's fence. */
  consumeSignals(claim: Claim, ids: readonly number[]): Promise<void>;

  /**
   * Appends in order to the end of the owner's stream, without a claim: a caller that has one asserts it in the same transaction.
   * Concurrent appends to one stream wait for each other. Returns the seq of the last event.
   */
  appendEvents(owner: string, events: readonly NewStreamEvent[]): Promise<number>;
  /** Deletes up to `limit` events, oldest first. True once none is left: the stream is gone then, and a later one of this owner begins at 1. */
  deleteEvents(owner: string, limit: number): Promise<boolean>;

  /** Names an owner in the `events` of the commit's notice; nothing is stored. Wakes readers, in other processes too, for facts other than events. */
  wakeReaders(owner: string): void;
  /** Names a stream in the `signalled` of the commit's notice; nothing is stored. Reaches processes that only run tasks, as `wakeReaders` does not. */
  wakeWorkers(stream: string): void;

  /** Adds an item; an item of the same key is replaced unless it is claimed (then `conflict`). */
  enqueueWork(item: NewWorkItem): Promise<void>;
  /** Takes up to `limit` items in rank order: ready ones and those whose lease has expired. */
  claimWork(query: ClaimQuery): Promise<Claim[]>;
  /** Throws LeaseLost unless the claim is held; until this transaction ends nobody can take it over. */
  assertClaim(claim: Claim): Promise<void>;
  /** Extends leases; returns the keys still held. */
  renewWork(claims: readonly Claim[], leaseUntil: number): Promise<string[]>;
  /** Gives an item back: claimable from `notBefore`, or parked until a signal. Throws LeaseLost. */
  releaseWork(claim: Claim, release: WorkRelease): Promise<void>;
  /** Sets the count of takeovers to 0 and drops the demand to be alone. Throws LeaseLost. */
  clearTakeovers(claim: Claim): Promise<void>;
  /** Removes one takeover from the count of an item whose claim was lost: its former owner is alive and found another cause. */
  forgiveTakeover(claim: Claim): Promise<void>;
  /** Removes a finished item. Throws LeaseLost. */
  finishWork(claim: Claim): Promise<void>;
  /** Removes an item that nobody holds; false when it is claimed or absent. */
  removeUnclaimedWork(queue: string, key: string): Promise<boolean>;
  /** Removes an item from any holder (its object was deleted); the holder's next fenced write fails with LeaseLost. */
  dropWork(queue: string, key: string): Promise<void>;

  putDocument(collection: string, id: string, document: Readonly<Record<string, unknown>>): Promise<void>;
  /** For a document that many transactions replace: written behind everything else, so that none of them waits while it holds it. `getDocument` of the transaction returns it, `listDocuments` may not. */
  putDocumentLast(collection: string, id: string, document: Readonly<Record<string, unknown>>): Promise<void>;
  /** False when absent. */
  deleteDocument(collection: string, id: string): Promise<boolean>;
}

/** Wake-ups of a commit: `head` is the newest change seq after a durable commit; `queues` had work added or released; `signalled` streams got a signal; `journals` and the streams of `events` grew. */
export interface CommitNotice {
  readonly head: number;
  readonly queues: ReadonlySet<string>;
  readonly signalled: ReadonlySet<string>;
  /** Journal streams that grew. */
  readonly journals: ReadonlySet<string>;
  /** Owners whose event streams grew, or whose readers were woken. */
  readonly events: ReadonlySet<string>;
}

/** UTF-8 bytes of one broadcast text. */
export const BROADCAST_MAX_BYTES = 7_000;

/** A short-lived text between the processes of one store. Nothing is stored, and a text may be lost: receivers must tolerate that. */
export interface Broadcast {
  /** `readers`: processes that show what happens. `everybody` also includes processes that only run tasks. */
  readonly audience: 'readers' | 'everybody';
  /** At most BROADCAST_MAX_BYTES. */
  readonly text: string;
}

export interface TransactionOptions {
  /** `work` may run several times and locks little that others wait for: it may run beside others in one commit. One that locks an object that exists runs alone. Default false. */
  readonly repeatable?: boolean;
}

export interface Store extends StoreReader {
  /** Runs `work` and resolves when its writes are durable. Concurrent transactions share one fsync (group commit) and never see each other's uncommitted writes. A throw rolls back only this one. */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Called after each durable commit. Names of queues, journals and events are hints: readers must also tolerate missing them. A newer `head`
   * is reported within seconds, also where the notice of its commit was lost. Returns the unsubscribe function.
   */
  onCommit(listener: (notice: CommitNotice) => void): () => void;
  /** Sends to every listening process of this store, this one included, in order. Returns at once; drops texts while the other processes cannot be reached. */
  broadcast(messages: readonly Broadcast[]): void;
  /** Returns the unsubscribe function. */
  onBroadcast(listener: (message: Broadcast) => void): () => void;
  /** Throws `unavailable` when the store does not answer or migrations are not done. */
  checkHealth(): Promise<void>;
  /** Drops changes older than the retention limits; returns how many. */
  pruneChanges(options: { keepNewest: number }): Promise<number>;
  /** Drops versions of specs that were replaced before this time; returns how many. */
  pruneVersions(options: { replacedBefore: string }): Promise<number>;
  close(): Promise<void>;
}
