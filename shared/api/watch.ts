// Shapes of the watch and event streams.
import type { Resource } from '../resource.ts';

export type WatchChangeType = 'created' | 'updated' | 'deleted';

/** The `data` of an SSE item with `event: resource`; its SSE id is the store's change sequence. */
export interface WatchItem {
  readonly type: WatchChangeType;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly resource: Resource;
  /** Present on the current matches that open a stream without a cursor. */
  readonly snapshot?: true;
}

/** One entry of `/v1/events` and of its watch. */
export interface EventRecord {
  /** Durable, increasing; the cursor of lists and of `Last-Event-ID`. */
  readonly id: string;
  readonly timestamp: string;
  /** Component that recorded the event: `registry`, `worker`, `engine`, … */
  readonly source: string;
  /** `resource.created|updated|deleted` or a controller's fact such as `task.claimed`. */
  readonly type: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}
