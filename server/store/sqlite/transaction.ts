// One logical transaction on the writer's connection. The writer opens and closes it; what woke up is collected for the commit notice.
import { ServiceError } from '@svc/shared/errors';
import type { ResourceKey } from '@svc/shared/resource';
import type { ListCursor } from '../list-order.ts';
import type {
  Claim,
  ClaimQuery,
  DeleteOptions,
  Fact,
  NewJournalEntry,
  NewStreamEvent,
  NewWorkItem,
  Signal,
  SpecVersion,
  StoredObject,
  StoreTransaction,
  TextBatch,
  VersionLimits,
  WorkRelease,
} from '../store.ts';
import { SqliteReader } from './reader.ts';
import type { Topics } from './statements/topics.ts';

export class SqliteTransaction extends SqliteReader implements StoreTransaction {
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
  #over = false;

  /** Ends the use of this object: calls after it fail instead of writing into another's transaction. */
  end(): void {
    this.#over = true;
  }

  protected override use(): Topics {
    if (this.#over) throw new ServiceError('internal', 'a store transaction was used after its end; await every call inside it');
    return super.use();
  }

  /** Inside a transaction a pause would only hold up the other writers. */
  protected override async pause(): Promise<void> {}

  /** Transactions run one after the other, so a read is enough. */
  getObjectForUpdate(key: ResourceKey): Promise<StoredObject | undefined> {
    return this.getObject(key);
  }

  async insertObject(object: StoredObject): Promise<void> {
    this.use().objectWrites.insert(object);
  }

  async updateObject(object: StoredObject): Promise<void> {
    this.use().objectWrites.update(object);
  }

  async rewriteObject(object: StoredObject): Promise<void> {
    this.use().objectWrites.rewrite(object);
    this.rewrote = true;
  }

  async deleteObject(key: ResourceKey, timestamp: string, options: DeleteOptions = {}): Promise<StoredObject | undefined> {
    return this.use().objectWrites.delete(key, timestamp, options);
  }

  async keepVersion(uid: string, version: SpecVersion, limits: VersionLimits): Promise<void> {
    this.use().versions.keep(uid, version, limits);
  }

  async deleteVersions(uid: string): Promise<void> {
    this.use().versions.remove(uid);
  }

  async reindexObjects(kind: string, after: ListCursor | undefined, limit: number): Promise<ListCursor | undefined> {
    const last = this.use().reindex.page(kind, after, limit);
    return last && { namespace: last.namespace, name: last.name };
  }

  async indexTexts(batch: TextBatch): Promise<boolean> {
    return this.use().search.index(batch);
  }

  async appendFact(key: ResourceKey, timestamp: string, fact: Fact): Promise<void> {
    this.use().changes.append({ key, timestamp, type: 'fact', resourceVersion: 0, fact });
  }

  async appendJournal(claim: Claim, lastSeq: number, entries: readonly NewJournalEntry[]): Promise<void> {
    const { work, journal } = this.use();
    work.assertHeld(claim);
    journal.append(claim, lastSeq, entries);
    this.journals.add(claim.key);
  }

  async deleteJournal(stream: string): Promise<void> {
    this.use().journal.remove(stream);
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

  async deleteEvents(owner: string, limit: number): Promise<boolean> {
    return this.use().events.remove(owner, limit);
  }

  wakeReaders(owner: string): void {
    this.events.add(owner);
  }

  async enqueueWork(item: NewWorkItem): Promise<void> {
    this.use().work.enqueue(item);
    this.queues.add(item.queue);
  }

  async claimWork(query: ClaimQuery): Promise<Claim[]> {
    return this.use().work.claim(query);
  }

  async assertClaim(claim: Claim): Promise<void> {
    this.use().work.assertHeld(claim);
  }

  async renewWork(claims: readonly Claim[], leaseUntil: number): Promise<string[]> {
    return this.use().work.renew(claims, leaseUntil);
  }

  async releaseWork(claim: Claim, options: WorkRelease): Promise<void> {
    const { work, journal } = this.use();
    work.release(claim, options);
    // A signal that came while the item was claimed woke nobody: parking now would make it wait for the next one.
    if (options.parked && journal.hasSignals(claim.key)) work.unpark(claim.queue, claim.key);
    this.queues.add(claim.queue);
  }

  async clearTakeovers(claim: Claim): Promise<void> {
    this.use().work.clearTakeovers(claim);
  }

  async forgiveTakeover(claim: Claim): Promise<void> {
    this.use().work.forgiveTakeover(claim);
  }

  async finishWork(claim: Claim): Promise<void> {
    this.use().work.finish(claim);
  }

  async removeUnclaimedWork(queue: string, key: string): Promise<boolean> {
    return this.use().work.removeUnclaimed(queue, key);
  }

  async dropWork(queue: string, key: string): Promise<void> {
    this.use().work.drop(queue, key);
  }

  async putDocument(collection: string, id: string, document: Readonly<Record<string, unknown>>): Promise<void> {
    this.use().documents.put(collection, id, document);
  }

  putDocumentLast(collection: string, id: string, document: Readonly<Record<string, unknown>>): Promise<void> {
    return this.putDocument(collection, id, document);
  }

  async deleteDocument(collection: string, id: string): Promise<boolean> {
    return this.use().documents.remove(collection, id);
  }
}
