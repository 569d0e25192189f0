// Keeps cached data in step with the server: one stream of changes, applied to the query cache in batches.
import type { LiveBatch } from '@svc/server/http/trpc/router';
import type { WatchItem } from '@svc/shared/api/watch';
import type { Resource } from '@svc/shared/resource';
import { matchQuery, type Query, type QueryCacheNotifyEvent, type QueryClient } from '@tanstack/react-query';
import { startTransition } from 'react';
import { kindNamed } from '../kinds/kind-table.ts';
import { changeList, changeObject, type CachedInput, type ListPages } from './apply-changes.ts';
import { connection } from './connection.ts';
import { isConcerned } from './derived.ts';
import { followPermanently, type Follow, type Scope } from './permanent-stream.ts';
import { ObjectDeleted } from './problem.ts';

/** Changes in quick succession are applied together. */
const FLUSH_MS = 100;
/** Counts, aggregates and namespaces are refetched at most this often. */
const RECOUNT_MS = 1_000;

/** Beginnings of the keys of all lists, and of all single objects. */
export const LIST = [['resources', 'list']] as const;
export const OBJECT = [['resources', 'get']] as const;

/** Called with every batch after it was applied: for screens that show more than lists and objects. */
export type ChangeListener = (items: readonly WatchItem[]) => void;

interface KeyOptions {
  readonly input?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly type?: string;
}

export const optionsOf = (queryKey: readonly unknown[]): KeyOptions => queryKey[1] ?? {};

/** Cached, but known to be stale and hidden: it is read again before it is shown. A change alone would make it count as fresh. */
const isWrittenOff = (query: Query): boolean => query.state.isInvalidated && !query.isActive();

function applyToList(queryClient: QueryClient, query: Query, items: readonly WatchItem[]): void {
  const { input, type } = optionsOf(query.queryKey);
  const { data } = query.state;
  const list = input as CachedInput | undefined;
  const concerned = list === undefined ? [] : items.filter(({ kind }) => kind === list.kind);
  if (data === undefined || list === undefined || concerned.length === 0 || isWrittenOff(query)) return;
  const pages: ListPages = type === 'infinite' ? (data as ListPages) : { pages: [data as ListPages['pages'][number]], pageParams: [] };
  const changed = changeList(pages, list, concerned);
  if (changed !== pages) queryClient.setQueryData(query.queryKey, type === 'infinite' ? changed : changed.pages[0]);
}

function applyToObject(queryClient: QueryClient, query: Query, items: ReadonlyMap<string, WatchItem>): void {
  const { kind, namespace, name } = optionsOf(query.queryKey).input ?? {};
  const item = items.get(`${kind} ${namespace}/${name}`);
  if (!item || isWrittenOff(query)) return;
  const known = query.state.data as Resource | undefined;
  const next = known && changeObject(known, item, kindNamed(item.kind)?.heavyStatusFields ?? []);
  if (next) queryClient.setQueryData(query.queryKey, next);
  else if (item.type === 'deleted') markDeleted(query, item);
  // The object exists now: it is read with all its parts.
  else void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
}

/** Sets the query to not found, as if the server had answered so: its data stays, and is read again before it is next shown. */
function markDeleted(query: Query, item: WatchItem): void {
  if (query.state.data === undefined) return;
  query.setState({ status: 'error', error: new ObjectDeleted(item), errorUpdatedAt: Date.now(), isInvalidated: true });
}

class LiveData {
  readonly #queryClient: QueryClient;
  readonly #listeners = new Set<ChangeListener>();
  /** Newest unapplied change of each object. */
  #pending = new Map<string, WatchItem>();
  /** Newest change of each object applied during a read: that answer may be older. */
  #overtaking = new Map<string, WatchItem>();
  /** Hashes of queries in their first fetch when a refetch was due: the answer may lack changes made meanwhile. */
  readonly #unsure = new Set<string>();
  readonly #forget: () => void;
  #flushTimer: number | undefined;
  /** Newest change of each type of each object since the last refetch of derived data: an object created and then changed was created. */
  #uncounted = new Map<string, WatchItem>();
  #recountTimer: number | undefined;
  /** `behind`: data may have been read before the stream begins. `ahead`: the stream begins before all of it. `met`: it has been in step. */
  #stream: 'behind' | 'ahead' | 'met';

  constructor(queryClient: QueryClient, stream: 'behind' | 'ahead') {
    this.#queryClient = queryClient;
    this.#stream = stream;
    this.#forget = queryClient.getQueryCache().subscribe((event) => this.#answered(event));
  }

  /** Still applies changes that have arrived. */
  stop(): void {
    this.#forget();
  }

  onChanges(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  receive({ state, items }: LiveBatch<WatchItem>): void {
    if (state !== undefined) this.#inStep(state);
    connection.synced();
    connection.received();
    for (const item of items) this.#note(item);
    if (this.#pending.size > 0 && this.#flushTimer === undefined) this.#flushTimer = window.setTimeout(() => this.#flush(), FLUSH_MS);
  }

  #inStep(state: 'synced' | 'resync'): void {
    const { phase, failures } = connection.state();
    const isFirstAttempt = phase === 'connecting' && failures === 0;
    if (state === 'resync' || this.#stream === 'behind') this.#readAgain();
    // Later, or after failed attempts, data that the stream does not feed may be old.
    else if (this.#stream === 'met' || !isFirstAttempt) this.#readUnfed();
    this.#stream = 'met';
  }

  #note(item: WatchItem): void {
    const object = `${item.kind} ${item.namespace}/${item.name}`;
    this.#pending.set(object, item);
    const change = `${item.type} ${object}`;
    // The newest comes last.
    this.#uncounted.delete(change);
    this.#uncounted.set(change, item);
  }

  #readAgain(): void {
    this.#askAgain(() => true);
  }

  #askAgain(predicate: (query: Query) => boolean): void {
    // A query in its first fetch is not restarted here: it is invalidated once it has answered.
    for (const { state, queryHash } of this.#queryClient.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }))
      if (state.data === undefined) this.#unsure.add(queryHash);
    void this.#queryClient.invalidateQueries({ predicate });
  }

  /**
   * Invalidates queries that changes do not feed: nothing reported their changes during the loss, and the server may be another process
   * now.
   */
  #readUnfed(): void {
    const fed = (query: Query) => [LIST, OBJECT].some((queryKey) => matchQuery({ queryKey }, query));
    this.#askAgain((query) => !fed(query));
  }

  #reading(): Query[] {
    const cache = this.#queryClient.getQueryCache();
    return [LIST, OBJECT].flatMap((queryKey) => cache.findAll({ queryKey, fetchStatus: 'fetching' }));
  }

  #answered(event: QueryCacheNotifyEvent): void {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return;
    const query = event.query as Query;
    if (this.#unsure.delete(query.queryHash)) {
      void this.#queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
      return;
    }
    if (this.#overtaking.size === 0) return;
    if (matchQuery({ queryKey: LIST }, query)) applyToList(this.#queryClient, query, [...this.#overtaking.values()]);
    if (matchQuery({ queryKey: OBJECT }, query)) applyToObject(this.#queryClient, query, this.#overtaking);
  }

  #flush(): void {
    const items = this.#pending;
    this.#pending = new Map();
    this.#flushTimer = undefined;
    const list = [...items.values()];
    this.#overtaking = this.#reading().length === 0 ? new Map<string, WatchItem>() : new Map([...this.#overtaking, ...items]);
    const cache = this.#queryClient.getQueryCache();
    startTransition(() => {
      for (const query of cache.findAll({ queryKey: LIST })) applyToList(this.#queryClient, query, list);
      for (const query of cache.findAll({ queryKey: OBJECT })) applyToObject(this.#queryClient, query, items);
      for (const listener of this.#listeners) listener(list);
    });
    if (this.#recountTimer === undefined) this.#recountTimer = window.setTimeout(() => this.#recount(), RECOUNT_MS);
  }

  #recount(): void {
    this.#recountTimer = undefined;
    const items = [...this.#uncounted.values()];
    this.#uncounted = new Map();
    this.#askAgain(({ queryKey }) => isConcerned(queryKey, items));
  }
}

export interface LiveSession {
  readonly onChanges: (listener: ChangeListener) => () => void;
  readonly stop: () => void;
}

/**
 * Begins to follow the changes of one namespace, or of all. It resumes by itself after a loss, after the last change it saw. With a position,
 * no data was read before it. `follow` is for tests.
 */
export function startLive(queryClient: QueryClient, scope: Scope, follow?: Follow): LiveSession {
  const data = new LiveData(queryClient, scope.position === undefined ? 'behind' : 'ahead');
  const unfollow = followPermanently(scope, (batch) => data.receive(batch), follow);
  const stop = () => {
    unfollow();
    data.stop();
  };
  return { onChanges: (listener) => data.onChanges(listener), stop };
}
