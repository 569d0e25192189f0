// Readers' side of live text: what the model calls of a run say while they run, from workers of any process. Bounded: a slow reader is sent to the record.
import { LRUCache } from 'lru-cache';
import type { LiveText } from '@svc/shared/api/runs';
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import { LIVE_INTEREST_MS, LIVE_TEXT_MAX_CHARS, LIVE_WHOLE_PAUSE_MS } from '../core/limits.ts';
import { followCalls, readLive, type LiveMessage, type TextMessage } from './messages.ts';

/** An item in a reader's buffer counts this much besides its text. */
const ITEM_CHARS = 256;
/** Calls of one run whose place a reader remembers: far more than run at once. */
const CALLS_MAX = 256;

export interface TextFollowers {
  /** Batches of text of running calls, the text so far first. Ends when aborted. */
  follow(task: string, signal: AbortSignal): AsyncGenerator<readonly LiveText[], void, void>;
}

export interface FollowersDeps {
  readonly store: Pick<Store, 'broadcast' | 'onBroadcast'>;
  readonly clock: Clock;
}

export function createTextFollowers({ store, clock }: FollowersDeps): TextFollowers {
  const readers = new Map<string, Set<Reader>>();
  let calling = false;
  store.onBroadcast((broadcast) => {
    if (readers.size === 0) return;
    const message = readLive(broadcast);
    for (const reader of (message && readers.get(message.task)) ?? []) if (message) reader.take(message);
  });
  /** Workers forget readers that do not call again; a reader that is gone needs no message. */
  const callAgain = async (): Promise<void> => {
    while (readers.size > 0) {
      await clock.sleep(LIVE_INTEREST_MS / 3);
      if (readers.size > 0) store.broadcast(followCalls([...readers.keys()], false));
    }
    calling = false;
  };
  const enter = (task: string, reader: Reader): void => {
    readers.set(task, (readers.get(task) ?? new Set()).add(reader));
    store.broadcast(followCalls([task], true));
    if (calling) return;
    calling = true;
    void callAgain();
  };
  const leave = (task: string, reader: Reader): void => {
    const others = readers.get(task);
    others?.delete(reader);
    if (others?.size === 0) readers.delete(task);
  };
  return {
    async *follow(task, signal) {
      const reader = new Reader(clock, () => store.broadcast(followCalls([task], true)));
      const onAbort = () => reader.wake();
      signal.addEventListener('abort', onAbort);
      enter(task, reader);
      try {
        while (!signal.aborted) {
          const batch = reader.drain();
          if (batch.length > 0) yield batch;
          else await reader.next();
        }
      } finally {
        leave(task, reader);
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

interface Place {
  readonly sentAt: number;
  length: number;
  /** No further text of this sending is passed on. */
  closed: boolean;
}

class Reader {
  readonly #clock: Clock;
  readonly #askWhole: () => void;
  readonly #places = new LRUCache<string, Place>({ max: CALLS_MAX });
  #waiting: LiveText[] = [];
  #waitingChars = 0;
  #askedAt = -Infinity;
  #wake: () => void = () => undefined;

  constructor(clock: Clock, askWhole: () => void) {
    this.#clock = clock;
    this.#askWhole = askWhole;
  }

  wake(): void {
    this.#wake();
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#waiting.length > 0) resolve();
    });
  }

  drain(): LiveText[] {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    return batch;
  }

  take(message: LiveMessage): void {
    const place = this.#placeOf(message);
    if (!place || place.closed) return;
    if ('text' in message) this.#takeText(place, message);
    else {
      place.closed = true;
      if (place.length > 0) this.#put({ ...message.call, reset: 'taken_back' });
    }
    this.#wake();
  }

  /** Undefined for a message of an earlier sending. */
  #placeOf({ call, sentAt }: LiveMessage): Place | undefined {
    const known = this.#places.get(call.request_id);
    if (known && known.sentAt >= sentAt) return known.sentAt === sentAt ? known : undefined;
    if (known && known.length > 0 && !known.closed) this.#put({ ...call, reset: 'sent_again' });
    const place: Place = { sentAt, length: 0, closed: false };
    this.#places.set(call.request_id, place);
    return place;
  }

  #takeText(place: Place, { call, at, text }: TextMessage): void {
    if (at > place.length) return this.#missed();
    const fresh = text.slice(place.length - at);
    if (fresh === '') return;
    const item = { ...call, at: place.length, text: fresh };
    place.length += fresh.length;
    const last = this.#waiting.at(-1);
    if (this.#waitingChars + fresh.length > LIVE_TEXT_MAX_CHARS) {
      this.#put(item);
      return this.#fallBehind();
    }
    this.#waitingChars += fresh.length;
    if (last && 'text' in last && last.request_id === call.request_id)
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + fresh };
    else this.#put(item);
  }

  #put(item: LiveText): void {
    this.#waiting.push(item);
    this.#waitingChars += ITEM_CHARS;
  }

  #missed(): void {
    const now = this.#clock.now();
    if (now - this.#askedAt < LIVE_WHOLE_PAUSE_MS) return;
    this.#askedAt = now;
    this.#askWhole();
  }

  /** Text that nobody takes is dropped, and the calls it is of are read from the record. */
  #fallBehind(): void {
    const calls = new Map(this.#waiting.filter((item) => 'text' in item).map((item) => [item.request_id, item]));
    this.drain();
    for (const { text: _, at: _at, ...call } of calls.values()) {
      const place = this.#places.get(call.request_id);
      if (place) place.closed = true;
      this.#put({ ...call, reset: 'behind' });
    }
  }
}
