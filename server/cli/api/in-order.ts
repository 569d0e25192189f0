// Requests about many objects: several at once, with their results in the order of the objects.
import type { Invocation } from '../program/invocation.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';

/** Largest number of requests in flight. */
const AT_ONCE = 16;

interface Outcome<Item, Result> {
  readonly item: Item;
  readonly result: PromiseSettledResult<Result>;
}

/** Yields the outcome of each item. Once the signal is aborted no further item begins; those that have begun are yielded. */
async function* outcomes<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal,
  perform: (item: Item) => Promise<Result>,
): AsyncGenerator<Outcome<Item, Result>> {
  const outcomeOf = async (item: Item) => ({ item, result: (await Promise.allSettled([perform(item)]))[0] });
  const waiting = items.values();
  const begun: Promise<Outcome<Item, Result>>[] = [];
  for (;;) {
    while (begun.length < AT_ONCE && !signal.aborted) {
      const { done, value } = waiting.next();
      if (done) break;
      begun.push(outcomeOf(value));
    }
    const first = begun.shift();
    if (!first) return;
    yield await first;
  }
}

interface Each<Item, Result> {
  readonly perform: (item: Item) => Promise<Result>;
  /** Receives the results in order. */
  readonly done: (item: Item, result: Result) => void;
}

/**
 * Answers whether Ctrl-C came; after it, and after the first failure, no further item begins. Rejects with that failure once all that began
 * have ended.
 */
export async function eachInOrder<Item, Result>(
  { terminal }: Invocation,
  items: readonly Item[],
  { perform, done }: Each<Item, Result>,
): Promise<boolean> {
  const failures: unknown[] = [];
  const failed = new AbortController();
  const interrupted = await untilInterrupted(terminal, async (interrupt) => {
    for await (const { item, result } of outcomes(items, AbortSignal.any([interrupt, failed.signal]), perform)) {
      if (result.status === 'fulfilled') done(item, result.value);
      else {
        failures.push(result.reason);
        failed.abort();
      }
    }
  });
  if (failures.length > 0) throw failures[0];
  return interrupted;
}
