// Live reads of the change log. One tail of the store serves every watcher; a slow or returning reader catches up from the log itself.
import type { EventRecord, WatchItem } from '@svc/shared/api/watch';
import type { LabelRequirement } from '../../store/store.ts';
import type { RequestContext } from '../registry.ts';

export interface WatchQuery {
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: readonly LabelRequirement[];
}

export interface ChangesQuery {
  /** Absent: every namespace. */
  readonly namespace?: string;
  /** Kinds whose changes come from every namespace all the same: those that serve them all, such as Worker. */
  readonly everywhere?: readonly string[];
}

export interface EventQuery {
  /** One type, or several with commas between them. */
  readonly type?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** `false` leaves out the updates of Workers, of which each heartbeat is one; facts report the states of a Worker as well. */
  readonly heartbeats?: boolean;
}

/** Messages of a stream, in order. `seq` is the change sequence to resume after. Item objects are shared by all watchers: never change them. */
export type WatchMessage<Item> =
  | { readonly type: 'item'; readonly seq: number; readonly item: Item }
  /** The snapshot, if there is one, is complete; live items follow. */
  | { readonly type: 'synced'; readonly seq: number }
  /** The cursor is older than what is retained, or from the future: a fresh snapshot follows, where the stream has one. */
  | { readonly type: 'resync'; readonly seq: number };

/** A stream of batches. Iterating awaits the next change; `return()` or the signal ends it. Never loses or repeats an item. */
export type WatchStream<Item> = AsyncIterable<readonly WatchMessage<Item>[]>;

/** Runs a read of a stream when it is its turn: what it brings has a place then. Rejects when the stream has ended. */
export type TakeTurn = <T>(read: () => Promise<T>) => Promise<T>;

export interface StreamOptions {
  /** Seq to continue after. */
  readonly since?: number;
  readonly signal: AbortSignal;
  /** For streams of clients that may not read what they requested. Absent: reads run at once. */
  readonly takeTurn?: TakeTurn;
}

interface EventPageQuery {
  /** Leaves out events of other objects that had this kind, namespace and name, which are required with it. */
  readonly uid?: string;
  readonly since?: number;
  readonly limit: number;
  readonly order?: 'createdAt' | '-createdAt';
  readonly after?: number;
}

export interface WatchService {
  /** Seq of the newest change. A stream that starts after it later brings every change that a read in between could have missed. */
  position(context: RequestContext): Promise<number>;
  /** Without `since`: current matches (snapshot), `synced`, then live changes. With it: every change after. An object that stops matching the labels appears as `deleted`. */
  watch(context: RequestContext, query: WatchQuery, options: StreamOptions): WatchStream<WatchItem>;
  /**
   * Resource changes of all kinds in one stream, without a snapshot: from now on, or after `since`. It begins with `synced`, whose `seq` is where
   * it starts: a client that reads its lists after that message misses nothing. `resync` (at the beginning or later) says that changes were missed,
   * and carries the seq at which it continues: the client reads its lists again.
   */
  watchChanges(context: RequestContext, query: ChangesQuery, options: StreamOptions): WatchStream<WatchItem>;
  /** Without `since`: live events from now on. */
  watchEvents(context: RequestContext, query: EventQuery, options: StreamOptions): WatchStream<EventRecord>;
  listEvents(context: RequestContext, query: EventQuery & EventPageQuery): Promise<{ items: readonly EventRecord[]; continue?: string }>;
}
