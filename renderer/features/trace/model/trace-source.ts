// Fills a store from a server: the first page as an answer, everything later as one stream that resumes where it broke off.
import type { TracePage } from '@svc/shared/api/runs';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { nextFrame } from '../../../live/next-frame.ts';
import type { TraceStore } from './trace-store.ts';

interface TraceBatch {
  /** Place of the last entry of the batch, to continue after it. */
  readonly id: string;
  readonly entries: readonly TraceEntry[];
}

export interface FollowHandlers {
  readonly onBatch: (batch: TraceBatch) => void;
  readonly onError: (error: unknown) => void;
  /** The run has ended and all entries were delivered. */
  readonly onEnd: () => void;
}

/** Source of traces: the server in the console, arrays in tests. */
export interface TracePort {
  page(): Promise<TracePage>;
  /** From the start, or after a place. Returns a function that stops it. */
  follow(after: string | undefined, handlers: FollowHandlers): () => void;
}

export interface SourceState {
  readonly phase: 'loading' | 'following' | 'ended' | 'failed';
  readonly error?: unknown;
}

export interface SourceOptions {
  readonly port: TracePort;
  readonly store: TraceStore;
  readonly onState: (state: SourceState) => void;
  /** Collects batches in quick succession; by default until the browser's next frame. */
  readonly schedule?: (publish: () => void) => () => void;
}

/** Starts reading; returns a function that stops it. Each entry reaches the store once and in order, however often the stream breaks. */
export function readTrace({ port, store, onState, schedule = nextFrame }: SourceOptions): () => void {
  let stopped = false;
  let unfollow: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  const publish = () => {
    cancel?.();
    cancel = undefined;
    store.publish();
  };
  const take = (entries: readonly TraceEntry[]) => {
    if (entries.length === 0) return;
    store.append(entries);
    cancel ??= schedule(publish);
  };
  const end = (state: SourceState) => {
    if (stopped) return;
    if (cancel) publish();
    onState(state);
  };
  /** `known`: number of loaded entries after the place, since the last page names no place of its own. */
  const follow = (after: string | undefined, known: number) => {
    let skip = known;
    unfollow = port.follow(after, {
      onBatch: ({ entries }) => {
        if (stopped) return;
        const fresh = skip === 0 ? entries : entries.slice(skip);
        skip = Math.max(0, skip - entries.length);
        take(fresh);
        if (!store.full) return;
        unfollow?.();
        end({ phase: 'ended' });
      },
      onError: (error) => end({ phase: 'failed', error }),
      onEnd: () => end({ phase: 'ended' }),
    });
  };
  onState({ phase: 'loading' });
  port.page().then(
    (page) => {
      if (stopped) return;
      take(page.items);
      publish();
      if (isOver(page)) return end({ phase: 'ended' });
      onState({ phase: 'following' });
      follow(page.continue, page.continue === undefined ? page.items.length : 0);
    },
    (error: unknown) => end({ phase: 'failed', error }),
  );
  return () => {
    stopped = true;
    cancel?.();
    unfollow?.();
  };
}

/** No entry follows the one that ends a run. */
function isOver({ items, continue: more }: TracePage): boolean {
  return more === undefined && items.at(-1)?.type === 'task_summary';
}
