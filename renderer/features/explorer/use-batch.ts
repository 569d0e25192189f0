// Does one thing to several objects, a few at a time, and tells how each of them went. Can be stopped: what has not begun is then left out.
import type { Resource } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { shownError, type ShownError } from '../../ui/shown-error.ts';
import { keyText } from './resource-facts.ts';

export type ItemState =
  { readonly state: 'queued' | 'running' | 'done' | 'skipped' } | { readonly state: 'failed'; readonly error: ShownError };

export type BatchProgress = ReadonlyMap<string, ItemState>;

/** Does the one thing. Rejects when it could not be done. */
export type Act = (resource: Resource) => Promise<unknown>;

const AT_ONCE = 4;

export interface Batch {
  /** By keyText; undefined before the start. */
  readonly progress: BatchProgress | undefined;
  readonly busy: boolean;
  readonly start: (resources: readonly Resource[], act: Act) => void;
  readonly stop: () => void;
}

export function useBatch(): Batch {
  const [progress, setProgress] = useState<BatchProgress>();
  const stopped = useRef(false);
  const note = useCallback((key: string, state: ItemState) => setProgress((now) => new Map(now).set(key, state)), []);
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ resources, act }: { resources: readonly Resource[]; act: Act }) => {
      const waiting = [...resources];
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const key = keyText(next);
          if (!stopped.current) note(key, { state: 'running' });
          note(key, stopped.current ? { state: 'skipped' } : await outcome(next, act));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
  });
  const start = (resources: readonly Resource[], act: Act) => {
    stopped.current = false;
    setProgress(new Map(resources.map((each) => [keyText(each), { state: 'queued' }])));
    mutate({ resources, act });
  };
  return {
    progress,
    busy: isPending,
    start,
    stop: () => {
      stopped.current = true;
    },
  };
}

async function outcome(resource: Resource, act: Act): Promise<ItemState> {
  try {
    await act(resource);
    return { state: 'done' };
  } catch (error) {
    return { state: 'failed', error: shownError(error) };
  }
}

export interface Tally {
  readonly done: number;
  readonly failed: number;
  /** Neither done nor failed nor left out. */
  readonly open: number;
}

/** How a batch stands. Pure. */
export function tally(progress: BatchProgress): Tally {
  const states = [...progress.values()].map(({ state }) => state);
  const count = (...wanted: string[]) => states.filter((state) => wanted.includes(state)).length;
  return { done: count('done'), failed: count('failed'), open: count('queued', 'running') };
}
