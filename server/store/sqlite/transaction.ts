// One logical transaction on the writer's connection. The writer opens and closes it; what woke up is collected for the commit notice.
import type { ResourceKey } from '@svc/shared/resource';
import { withOperations, type Operations } from '../operations.ts';
import type {
  Claim,
  NewJournalEntry,
  NewStreamEvent,
  NewWorkItem,
  Signal,
  StoredObject,
  StoreReader,
  StoreTransaction,
  WorkRelease,
} from '../store.ts';
import { TransactionEnd } from '../transaction-end.ts';
import { reads } from './reader.ts';
import type { Topics } from './statements/topics.ts';

/** Writes that need nothing but their statement. */
const writes = {
  insertObject: ({ objectWrites }, object) => objectWrites.insert(object),
  updateObject: ({ objectWrites }, object) => objectWrites.update(object),
  deleteObject: ({ objectWrites }, ...args) => objectWrites.delete(...args),
  keepVersion: ({ versions }, ...args) => versions.keep(...args),
  deleteVersions: ({ versions }, uid) => versions.remove(uid),
  reindexObjects({ reindex }, ...args) {
    const last = reindex.page(...args);
    return last && { namespace: last.namespace, name: last.name };
  },
  indexTexts: ({ search }, batch) => search.index(batch),
  appendFact: ({ changes }, ...[key, timestamp, fact]) => changes.append({ key, timestamp, type: 'fact', resourceVersion: 0, fact }),
  deleteJournal: ({ journal }, stream) => journal.remove(stream),
  deleteEvents: ({ events }, owner, limit) => events.remove(owner, limit),
  claimWork: ({ work }, query) => work.claim(query),
  assertClaim: ({ work }, claim) => work.assertHeld(claim),
  renewWork: ({ work }, claims, leaseUntil) => work.renew(claims, leaseUntil),
  clearTakeovers: ({ work }, claim) => work.clearTakeovers(claim),
  forgiveTakeover: ({ work }, claim) => work.forgiveTakeover(claim),
  finishWork: ({ work }, claim) => work.finish(claim),
  removeUnclaimedWork: ({ work }, queue, key) => work.removeUnclaimed(queue, key),
  dropWork: ({ work }, queue, key) => work.drop(queue, key),
  putDocument: ({ documents }, ...args) => documents.put(...args),
  putDocumentLast: ({ documents }, ...args) => documents.put(...args),
  deleteDocument: ({ documents }, collection, id) => documents.remove(collection, id),
} satisfies Partial<Operations<Topics, StoreTransaction>>;

type Methods = StoreReader & Pick<StoreTransaction, keyof typeof writes>;

export class SqliteTransaction extends withOperations<Topics, Methods>({ ...reads, ...writes }) implements StoreTransaction {
  /** Queues that had work added or released. */
  readonly queues = new Set<string>();
  /** Streams that got a signal. */
  readonly signalled = new Set<string>();
  /** Streams whose journal grew. */
  readonly journals = new Set<string>();
  /** Owners whose event streams grew, or whose readers are woken. */
  readonly events = new Set<string>();
  /** A version got other contents. */
  rewrote = false;
  readonly #topics: Topics;
  readonly #end = new TransactionEnd();

  constructor(topics: Topics) {
    super();
    this.#topics = topics;
  }

  /** Ends the use of this object: calls after it fail with `reason` instead of writing into another's transaction. */
  end(reason?: unknown): void {
    this.#end.reach(reason);
  }

  protected use(): Topics {
    this.#end.throwIfReached();
    return this.#topics;
  }

  /** Transactions run one after the other, so a read is enough. */
  getObjectForUpdate(key: ResourceKey): Promise<StoredObject | undefined> {
    return this.getObject(key);
  }

  async rewriteObject(object: StoredObject): Promise<void> {
    this.use().objectWrites.rewrite(object);
    this.rewrote = true;
  }

  async appendJournal(claim: Claim, lastSeq: number, entries: readonly NewJournalEntry[]): Promise<void> {
    const { work, journal } = this.use();
    work.assertHeld(claim);
    journal.append(claim, lastSeq, entries);
    this.journals.add(claim.key);
  }

  async sendSignal(queue: string, signal: Omit<Signal, 'id'>): Promise<void> {
    const { work, journal } = this.use();
    journal.send(signal);
    this.signalled.add(signal.stream);
    if (work.unpark(queue, signal.stream)) this.queues.add(queue);
  }

  async consumeSignals(claim: Claim, ids: readonly number[]): Promise<void> {
    const { work, journal } = this.use();
    work.assertHeld(claim);
    journal.consume(claim.key, ids);
  }

  async appendEvents(owner: string, events: readonly NewStreamEvent[]): Promise<number> {
    const head = this.use().events.append(owner, events);
    if (events.length > 0) this.events.add(owner);
    return head;
  }

  wakeReaders(owner: string): void {
    this.events.add(owner);
  }

  wakeWorkers(stream: string): void {
    this.signalled.add(stream);
  }

  async enqueueWork(item: NewWorkItem): Promise<void> {
    this.use().work.enqueue(item);
    this.queues.add(item.queue);
  }

  async releaseWork(claim: Claim, options: WorkRelease): Promise<void> {
    const { work, journal } = this.use();
    work.release(claim, options);
    // A signal that came while the item was claimed woke nobody: parking now would make it wait for the next one.
    if (options.parked && journal.hasSignals(claim.key)) work.unpark(claim.queue, claim.key);
    this.queues.add(claim.queue);
  }
}
