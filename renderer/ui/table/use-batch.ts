// Applies one action to several items, a few at a time, and reports the result of each. Can be stopped: items not yet begun are then left
// out.
import { useCallback, useRef, useState } from 'react';
import { shownError, type ShownError } from '../feedback/shown-error.ts';

export type BatchItem<Done> =
  | { readonly state: 'queued' | 'running' | 'skipped' }
  | { readonly state: 'done'; readonly result: Done }
  | { readonly state: 'failed'; readonly error: ShownError };

/** By the key of the item. */
export type BatchProgress<Done> = ReadonlyMap<string, BatchItem<Done>>;

/** Executes the action. Rejects when it failed. */
type Act<Item, Done> = (item: Item) => Promise<Done>;

export interface Batch<Item, Done> {
  /** Undefined before the start. */
  readonly progress: BatchProgress<Done> | undefined;
  readonly busy: boolean;
  readonly start: (items: readonly Item[], act: Act<Item, Done>) => void;
  readonly stop: () => void;
}

const AT_ONCE = 4;

export function useBatch<Item, Done = unknown>(keyOf: (item: Item) => string): Batch<Item, Done> {
  const [progress, setProgress] = useState<BatchProgress<Done>>();
  const [busy, setBusy] = useState(false);
  const stopped = useRef(false);
  const start = (items: readonly Item[], act: Act<Item, Done>) => {
    const note = (key: string, item: BatchItem<Done>) => setProgress((now) => new Map(now).set(key, item));
    const waiting = [...items];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const key = keyOf(next);
        if (!stopped.current) note(key, { state: 'running' });
        note(key, stopped.current ? { state: 'skipped' } : await outcome(next, act));
      }
    };
    stopped.current = false;
    setProgress(new Map(items.map((each) => [keyOf(each), { state: 'queued' }])));
    setBusy(true);
    void Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => setBusy(false));
  };
  const stop = useCallback(() => {
    stopped.current = true;
  }, []);
  return { progress, busy, start, stop };
}

async function outcome<Item, Done>(item: Item, act: Act<Item, Done>): Promise<BatchItem<Done>> {
  try {
    return { state: 'done', result: await act(item) };
  } catch (error) {
    return { state: 'failed', error: shownError(error) };
  }
}

/** Keys of the items that the action succeeded for. Pure. */
export function doneKeys(progress: BatchProgress<unknown>): ReadonlySet<string> {
  return new Set([...progress].flatMap(([key, { state }]) => (state === 'done' ? [key] : [])));
}

export interface Tally {
  readonly done: number;
  readonly failed: number;
  /** Not begun when the batch was stopped. */
  readonly left: number;
  readonly open: number;
}

/** State of a batch. Pure. */
export function tally(progress: BatchProgress<unknown>): Tally {
  const states = [...progress.values()].map(({ state }) => state);
  const count = (...wanted: string[]) => states.filter((state) => wanted.includes(state)).length;
  return { done: count('done'), failed: count('failed'), left: count('skipped'), open: count('queued', 'running') };
}
