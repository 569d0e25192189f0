// Worker's side of live text: keeps the text of each running model call, and broadcasts it while readers follow the run. Nothing is stored.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { entriesMax } from '../../entries-max.ts';
import type { Store } from '../../store/store.ts';
import { LIVE_GATHER_MS, LIVE_INTEREST_MS, LIVE_TEXT_MAX_CHARS, LIVE_WHOLE_PAUSE_MS } from '../core/limits.ts';
import { readFollowCall, withdrawalOf, textMessages, type CallPlace } from './messages.ts';

/** Limit of runs that are remembered as having readers. */
const FOLLOWED_MAX = 10_000;

export interface TextPublisher {
  /** Begins the text of one sending of a model call. */
  begin(task: string, call: CallPlace): CallText;
  stop(): void;
}

export interface CallText {
  push(piece: string): void;
  /** Ends the text: `recorded` is in the trace from now on, `taken_back` is withdrawn. */
  end(outcome: 'recorded' | 'taken_back'): void;
}

export interface PublisherDeps {
  readonly store: Pick<Store, 'broadcast' | 'onBroadcast'>;
  readonly clock: Clock;
}

export function createTextPublisher(deps: PublisherDeps): TextPublisher {
  const { store, clock } = deps;
  /** End of the interest in each run, unless its readers renew it. */
  const followed = new LRUCache<string, number>(entriesMax(FOLLOWED_MAX));
  const running = new Map<string, Set<RunningText>>();
  const stop = store.onBroadcast((message) => {
    const call = readFollowCall(message);
    if (!call) return;
    for (const task of call.follow) {
      const isNew = !isFollowed(task);
      followed.set(task, clock.now() + LIVE_INTEREST_MS);
      if (isNew || call.whole) for (const text of running.get(task) ?? []) text.sendWhole();
    }
  });
  const isFollowed = (task: string): boolean => (followed.get(task) ?? 0) > clock.now();
  return {
    begin(task, call) {
      const text = new RunningText(deps, { task, call, sentAt: clock.now() }, () => isFollowed(task));
      const texts = running.get(task) ?? new Set();
      running.set(task, texts.add(text));
      return {
        push: (piece) => text.push(piece),
        end(outcome) {
          text.end(outcome);
          texts.delete(text);
          if (texts.size === 0 && running.get(task) === texts) running.delete(task);
        },
      };
    },
    stop,
  };
}

interface Sending {
  readonly task: string;
  readonly call: CallPlace;
  readonly sentAt: number;
}

class RunningText {
  readonly #deps: PublisherDeps;
  readonly #sending: Sending;
  readonly #isFollowed: () => boolean;
  /** Sent before, in pieces. */
  #sent: string[] = [];
  #sentLength = 0;
  #unsent = '';
  #gathering = false;
  #wholeAt = -Infinity;
  #wholeWaits = false;
  #over = false;

  constructor(deps: PublisherDeps, sending: Sending, isFollowed: () => boolean) {
    this.#deps = deps;
    this.#sending = sending;
    this.#isFollowed = isFollowed;
  }

  push(piece: string): void {
    if (this.#over) return;
    this.#unsent += piece;
    if (this.#sentLength + this.#unsent.length > LIVE_TEXT_MAX_CHARS) return this.#forget();
    if (!this.#gathering && this.#isFollowed()) this.#sendAndGather();
  }

  /** The first piece is sent at once; later ones are batched, so that a fast model does not mean one message per token. */
  #sendAndGather(): void {
    this.#send();
    this.#gathering = true;
    void this.#deps.clock.sleep(LIVE_GATHER_MS).then(() => {
      this.#gathering = false;
      if (this.#unsent !== '' && this.#isFollowed()) this.#sendAndGather();
    });
  }

  #send(): void {
    const { text, at } = { text: this.#unsent, at: this.#sentLength };
    if (text === '') return;
    this.#sent.push(text);
    this.#sentLength += text.length;
    this.#unsent = '';
    this.#deps.store.broadcast(textMessages({ ...this.#sending, at, text }));
  }

  /** Sends the whole text, for a reader that joined during the call or missed a message; other readers skip the part they have. */
  sendWhole(): void {
    if (this.#over || this.#wholeWaits) return;
    const { clock } = this.#deps;
    const waitMs = this.#wholeAt + LIVE_WHOLE_PAUSE_MS - clock.now();
    if (waitMs <= 0) return this.#sendWholeNow();
    this.#wholeWaits = true;
    void clock.sleep(waitMs).then(() => {
      this.#wholeWaits = false;
      if (!this.#over) this.#sendWholeNow();
    });
  }

  #sendWholeNow(): void {
    this.#wholeAt = this.#deps.clock.now();
    this.#unsent = this.#sent.join('') + this.#unsent;
    this.#sent = [];
    this.#sentLength = 0;
    this.#send();
  }

  end(outcome: 'recorded' | 'taken_back'): void {
    if (this.#isFollowed()) {
      if (outcome === 'recorded') this.#send();
      else if (this.#sentLength > 0) this.#deps.store.broadcast([withdrawalOf(this.#sending)]);
    }
    this.#forget();
  }

  /** Drops the text and sends no more pieces. Readers keep what they have until the record replaces it or the text is withdrawn. */
  #forget(): void {
    this.#over = true;
    this.#sent = [];
    this.#unsent = '';
  }
}
