// Queue of everything a run waits for: results of its calls, signals from outside, the clock. Nothing put in is lost; a wait ends at the first of them.
import { endsWithin, type Clock } from '../../clock.ts';

export interface Mailbox<T> {
  readonly put: (item: T) => void;
  /** Ends the current wait, or the next one, without an item. */
  readonly interrupt: () => void;
  /** Everything put in so far, as soon as there is something, an interrupt, or `until` has come (which gives an empty list). */
  readonly take: (until: number | undefined) => Promise<T[]>;
}

export function createMailbox<T>(clock: Clock): Mailbox<T> {
  let items: T[] = [];
  let interrupted = false;
  let wake: (() => void) | undefined;
  const endWait = () => {
    wake?.();
    wake = undefined;
  };
  return {
    put(item) {
      items.push(item);
      endWait();
    },
    interrupt() {
      interrupted = true;
      endWait();
    },
    async take(until) {
      if (items.length === 0 && !interrupted) await waitFor(clock, until, (resolve) => (wake = resolve));
      const taken = items;
      items = [];
      interrupted = false;
      return taken;
    },
  };
}

async function waitFor(clock: Clock, until: number | undefined, register: (resolve: () => void) => void): Promise<void> {
  const woken = new Promise<void>(register);
  if (until === undefined) return woken;
  await endsWithin(woken, { clock, ms: Math.max(0, until - clock.now()) });
}
