// One logical transaction. Its changes are kept until the end, when one statement numbers and writes them; what woke up is collected for the notice.
import type { ResourceKey } from '@svc/shared/resource';
import { deletedDoc, type NewChange } from '../change-row.ts';
import { LeaseLost } from '../lease-lost.ts';
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
  TextIndex,
  VersionLimits,
  WorkRelease,
} from '../store.ts';
import type { TermsOf } from '../terms.ts';
import { isUniqueViolation } from './failure.ts';
import { PostgresReader } from './reader.ts';
import type { Session } from './session.ts';
import { appendChanges } from './statements/changes.ts';
import { claimWork } from './statements/claims.ts';
import * as documents from './statements/documents.ts';
import * as events from './statements/events.ts';
import * as journal from './statements/journal.ts';
import * as writes from './statements/object-writes.ts';
import { getObject, getObjectForUpdate } from './statements/objects.ts';
import * as search from './statements/search.ts';
import * as versions from './statements/versions.ts';
import * as work from './statements/work.ts';
import { NeedsOwnCommit } from './shared-commits.ts';
import { SessionUse, type TransactionSession } from './transaction-session.ts';

type Document = Readonly<Record<string, unknown>>;

function keyText({ kind, namespace, name }: ResourceKey): string {
  return `${kind}/${namespace}/${name}`;
}

function claimText({ queue, key, owner, fence }: Claim): string {
  return `${queue}/${key}/${fence}/${owner}`;
}

type LastDocument = documents.DocumentKey & { readonly document: Document };

export interface LastWrites {
  readonly documents: readonly LastDocument[];
  readonly changes: readonly NewChange[];
}

/** Sends everything before it waits, as nothing follows a commit. Returns the number of the newest change, 0 without one. */
async function writeLast(session: Session, last: LastWrites): Promise<number> {
  const sent = last.documents.map(({ document, ...key }) => documents.putDocument(session, key, document));
  const head = last.changes.length > 0 ? appendChanges(session, last.changes) : 0;
  await Promise.all([...sent, head]);
  return head;
}

/** Makes the writes of transactions that share a session durable. Returns the number of their newest change, 0 when they made none. */
export async function commitAll(session: TransactionSession, transactions: readonly PostgresTransaction[]): Promise<number> {
  const heads = transactions.map(({ head }) => head);
  const last = transactions.filter(({ hasLast }) => hasLast).map((each) => each.takeLast());
  const all = { documents: last.flatMap((each) => each.documents), changes: last.flatMap((each) => each.changes) };
  const head = await session.commit(last.length > 0 ? () => writeLast(session, all) : undefined);
  return Math.max(0, head ?? 0, ...heads);
}

export interface TransactionParts {
  readonly nowMs: () => number;
  readonly termsOf: TermsOf;
  readonly texts: TextIndex | undefined;
  /** True where others run in the same database transaction: it throws NeedsOwnCommit in place of a lock that others may hold. */
  readonly shared: boolean;
}

export class PostgresTransaction extends PostgresReader implements StoreTransaction {
  /** Queues that had work added or released. */
  readonly queues = new Set<string>();
  /** Streams that got a signal. */
  readonly signalled = new Set<string>();
  /** Streams whose journal grew. */
  readonly journals = new Set<string>();
  /** Owners whose event streams grew, or whose readers are woken. */
  readonly events = new Set<string>();
  readonly #session: SessionUse;
  readonly #parts: TransactionParts;
  /** Objects as this transaction last read or wrote them: a second read returns the same without a query. */
  readonly #seen = new Map<string, StoredObject>();
  /** Reads in flight, by name: a second request meanwhile is answered by the same statement. */
  readonly #reading = new Map<string, Promise<unknown>>();
  /** Those of them that nobody else can change before it ends, by the JSON of their terms. */
  readonly #locked = new Map<string, string>();
  /** Objects that were not found, to be created. */
  readonly #absent = new Set<string>();
  /** Uids of new objects: nobody else can refer to them yet. */
  readonly #made = new Set<string>();
  /** Claims that this transaction has taken: none of them can be lost before it ends. */
  readonly #held = new Set<string>();
  #changes: NewChange[] = [];
  /** Documents that are written at the end, by the JSON of their keys. */
  readonly #lastDocuments = new Map<string, LastDocument>();
  #head = 0;

  constructor(session: TransactionSession, parts: TransactionParts) {
    super();
    this.#session = new SessionUse(session);
    this.#parts = parts;
  }

  /** Takes no more statements; what is left for the commit stays. */
  end(reason?: unknown): void {
    this.#session.end(reason);
  }

  /** Number of its newest written change; 0: none is written yet. */
  get head(): number {
    return this.#head;
  }

  /** True when something is left to be written at the end. */
  get hasLast(): boolean {
    return this.#changes.length + this.#lastDocuments.size > 0;
  }

  /** Removes and returns the writes that are sent with the commit. */
  takeLast(): LastWrites {
    const last = { documents: [...this.#lastDocuments.values()], changes: this.#changes };
    this.#lastDocuments.clear();
    this.#changes = [];
    return last;
  }

  protected override use(): Session {
    return this.#session;
  }

  /** A read of the log sees this transaction's own changes, so they are written first. From then on nobody else can commit a change. */
  protected override async useChanges(): Promise<Session> {
    if (this.#changes.length > 0) this.#head = await writeLast(this.#session, this.takeLast());
    return this.#session;
  }

  #remember(object: StoredObject | undefined): StoredObject | undefined {
    if (object) this.#seen.set(keyText(object), object);
    return object;
  }

  override async getObject(key: ResourceKey): Promise<StoredObject | undefined> {
    const text = keyText(key);
    const seen = this.#seen.get(text);
    if (seen) return seen;
    return this.#once(text, async () => this.#remember(await getObject(this.#session, key)));
  }

  override async getDocument(collection: string, id: string): Promise<Document | undefined> {
    const last = this.#lastDocuments.get(JSON.stringify([collection, id]));
    if (last) return last.document;
    return this.#once(`document ${collection}/${id}`, () => documents.getDocument(this.#session, { collection, id }));
  }

  /** The read of this name that is in flight, or a new one. After a write a new read begins, which sees it. */
  #once<T>(name: string, read: () => Promise<T>): Promise<T> {
    const underWay = this.#reading.get(name) as Promise<T> | undefined;
    if (underWay) return underWay;
    const reading = read().finally(() => this.#reading.delete(name));
    this.#reading.set(name, reading);
    return reading;
  }

  async getObjectForUpdate(key: ResourceKey): Promise<StoredObject | undefined> {
    const text = keyText(key);
    if (this.#locked.has(text)) return this.#seen.get(text);
    // An insert then loses the race at once, where a second read would wait for the lock of another transaction.
    if (this.#absent.has(text)) return undefined;
    if (this.#parts.shared) return this.#expectAbsent(key);
    const locked = await getObjectForUpdate(this.#session, key);
    if (locked) this.#locked.set(text, locked.terms);
    else this.#absent.add(text);
    return this.#remember(locked?.object);
  }

  async #expectAbsent(key: ResourceKey): Promise<undefined> {
    if (await getObject({ run: (sql, values = []) => this.#session.look(sql, values) }, key))
      throw new NeedsOwnCommit('the object exists, and its row may be locked');
    this.#absent.add(keyText(key));
  }

  async insertObject(object: StoredObject): Promise<void> {
    this.#reading.clear();
    const { termsOf } = this.#parts;
    const isAbsent = this.#absent.delete(keyText(object));
    const stored = isAbsent
      ? this.#left(writes.insertAbsentObject(this.#session, object, termsOf))
      : await writes.insertObject(this.#session, object, termsOf);
    this.#made.add(object.uid);
    this.#record(object, 'created', stored);
  }

  async updateObject(object: StoredObject, previous?: StoredObject): Promise<void> {
    this.#reading.clear();
    const { termsOf } = this.#parts;
    const seen = this.#seen.get(keyText(object));
    const terms = this.#locked.get(keyText(object));
    const stored =
      seen && terms !== undefined
        ? this.#left(writes.updateLocked(this.#session, object, { locked: { object: seen, terms }, termsOf }))
        : await writes.updateObject(this.#session, object, { previous: seen ?? previous, termsOf });
    this.#record(object, 'updated', stored);
  }

  #left({ done, ...stored }: writes.SentWrite): writes.StoredJson {
    this.#session.leave(done);
    return stored;
  }

  async rewriteObject(object: StoredObject): Promise<void> {
    this.#reading.clear();
    await writes.rewriteObject(this.#session, object);
    this.#remember(object);
  }

  #record(object: StoredObject, type: 'created' | 'updated', { doc, terms }: writes.StoredJson): void {
    this.#remember(object);
    this.#locked.set(keyText(object), terms);
    this.#changes.push({ key: object, timestamp: object.updatedAt, type, resourceVersion: object.resourceVersion, object: doc });
  }

  async deleteObject(key: ResourceKey, timestamp: string, options: DeleteOptions = {}): Promise<StoredObject | undefined> {
    this.#reading.clear();
    const deleted = await writes.deleteObject(this.#session, key, options.expectedVersion);
    if (!deleted) return undefined;
    this.#seen.delete(keyText(key));
    this.#locked.delete(keyText(key));
    const { resourceVersion, doc } = deleted;
    const last = JSON.parse(doc) as StoredObject;
    this.#changes.push({ key, timestamp, type: 'deleted', resourceVersion, object: deletedDoc(last, options.by) });
    return last;
  }

  async keepVersion(uid: string, version: SpecVersion, limits: VersionLimits): Promise<void> {
    await versions.keepVersion(this.#session, { uid, ...version }, limits);
  }

  async deleteVersions(uid: string): Promise<void> {
    await versions.removeVersions(this.#session, uid);
  }

  async reindexObjects(kind: string, after: ListCursor | undefined, limit: number): Promise<ListCursor | undefined> {
    const last = await writes.reindexObjects(this.#session, { kind, after, limit }, this.#parts.termsOf);
    return last && { namespace: last.namespace, name: last.name };
  }

  async indexTexts(batch: TextBatch): Promise<boolean> {
    return search.indexTexts(this.#session, batch, this.#parts.texts);
  }

  async appendFact(key: ResourceKey, timestamp: string, fact: Fact): Promise<void> {
    this.#changes.push({ key, timestamp, type: 'fact', resourceVersion: 0, fact });
  }

  async appendJournal(claim: Claim, lastSeq: number, entries: readonly NewJournalEntry[]): Promise<void> {
    this.journals.add(claim.key);
    if (this.#held.has(claimText(claim))) return this.#session.leave(journal.appendHeld(this.#session, claim, { lastSeq, entries }));
    try {
      await journal.appendJournal(this.#session, claim, { lastSeq, entries });
    } catch (error) {
      throw movedOn(error) ? new LeaseLost(claim.key, claim.fence) : error;
    }
  }

  async deleteJournal(stream: string): Promise<void> {
    await journal.removeJournal(this.#session, stream);
  }

  async sendSignal(queue: string, signal: Omit<Signal, 'id'>): Promise<void> {
    const [, unparked] = await Promise.all([
      journal.addSignal(this.#session, signal),
      work.unparkWork(this.#session, queue, signal.stream),
    ]);
    this.signalled.add(signal.stream);
    if (unparked) this.queues.add(queue);
  }

  async consumeSignals(claim: Claim, ids: readonly number[]): Promise<void> {
    await journal.consumeSignals(this.#session, claim, ids);
  }

  async appendEvents(owner: string, added: readonly NewStreamEvent[]): Promise<number> {
    const head = await events.appendEvents(this.#session, owner, added);
    if (added.length > 0) this.events.add(owner);
    return head;
  }

  async deleteEvents(owner: string, limit: number): Promise<boolean> {
    return events.removeEvents(this.#session, owner, limit);
  }

  wakeReaders(owner: string): void {
    this.events.add(owner);
  }

  wakeWorkers(stream: string): void {
    this.signalled.add(stream);
  }

  async enqueueWork(item: NewWorkItem): Promise<void> {
    const added = work.enqueueWork(this.#session, item, this.#parts.nowMs());
    if (this.#made.has(item.key)) this.#session.leave(added);
    else await added;
    this.queues.add(item.queue);
  }

  async claimWork(query: ClaimQuery): Promise<Claim[]> {
    const claims = await claimWork(this.#session, query);
    for (const claim of claims) this.#held.add(claimText(claim));
    return claims;
  }

  async assertClaim(claim: Claim): Promise<void> {
    await work.lockClaim(this.#session, claim);
  }

  async renewWork(claims: readonly Claim[], leaseUntil: number): Promise<string[]> {
    return work.renewWork(this.#session, claims, leaseUntil);
  }

  async releaseWork(claim: Claim, options: WorkRelease): Promise<void> {
    this.#held.delete(claimText(claim));
    await work.releaseWork(this.#session, claim, { ...options, nowMs: this.#parts.nowMs() });
    // A signal that came while the item was claimed woke nobody: parking now would make it wait for the next one.
    if (options.parked && (await journal.hasSignals(this.#session, claim.key))) {
      await work.unparkWork(this.#session, claim.queue, claim.key);
    }
    this.queues.add(claim.queue);
  }

  async clearTakeovers(claim: Claim): Promise<void> {
    await work.clearTakeovers(this.#session, claim);
  }

  async forgiveTakeover(claim: Claim): Promise<void> {
    await work.forgiveTakeover(this.#session, claim);
  }

  async finishWork(claim: Claim): Promise<void> {
    this.#held.delete(claimText(claim));
    await work.finishWork(this.#session, claim);
  }

  async removeUnclaimedWork(queue: string, key: string): Promise<boolean> {
    this.#held.clear();
    return work.removeUnclaimedWork(this.#session, queue, key);
  }

  async dropWork(queue: string, key: string): Promise<void> {
    this.#held.clear();
    await work.dropWork(this.#session, queue, key);
  }

  async putDocument(collection: string, id: string, document: Document): Promise<void> {
    this.#reading.clear();
    this.#lastDocuments.delete(JSON.stringify([collection, id]));
    await documents.putDocument(this.#session, { collection, id }, document);
  }

  async putDocumentLast(collection: string, id: string, document: Document): Promise<void> {
    this.#lastDocuments.set(JSON.stringify([collection, id]), { collection, id, document });
  }

  async deleteDocument(collection: string, id: string): Promise<boolean> {
    this.#reading.clear();
    this.#lastDocuments.delete(JSON.stringify([collection, id]));
    return documents.removeDocument(this.#session, { collection, id });
  }
}

/** Another append to the same stream came first. */
function movedOn(error: unknown): boolean {
  return error instanceof Error && isUniqueViolation(error.cause, 'journal_by_stream');
}
