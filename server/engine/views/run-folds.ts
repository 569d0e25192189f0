// Folds of runs, kept between readings: each reading takes in only the entries that the journal has gained since.
import { restoredSnapshot } from '../core/restore.ts';
import type { JsonObject } from '@svc/shared/json';
import type { StoreReader } from '../../store/store.ts';
import { isSupportedEntry, type Entry } from '../core/entries.ts';
import { FOLDS_KEPT_MAX, FOLDS_KEPT_MAX_BYTES } from '../core/limits.ts';
import { applyEntry } from '../core/apply-entry.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import { newRunState, type RunState } from '../core/state.ts';
import { tooNew } from '../shell/fold-journal.ts';
import { createHistoryView, type HistoryPlace } from './history.ts';
import { createMessageView, type MessageRecord } from './messages.ts';
import { createMetricsView } from './metrics.ts';
import { readEntriesInPortions, type PlacedEntry } from './read-journal.ts';

/** Everything of one journal that was read. It grows in place: take what is needed of it before the next wait, and change nothing. */
export interface RunFold {
  readonly messages: () => IterableIterator<MessageRecord>;
  readonly metrics: () => JsonObject;
  /** Throws `conflict` for a journal that only a newer version understands. */
  readonly state: () => RunState;
  /** Snapshot that an attempt froze when it began, by default the newest; undefined for an attempt that has not begun. */
  readonly snapshot: (attempt?: number) => RunSnapshot | undefined;
  /** A place that a reader of the history may start behind and still see every record at and after `seq`. */
  readonly historyBefore: (seq: number) => { readonly seq: number; readonly history: HistoryPlace };
}

/** How many entries lie between the places that the history can be taken up at. */
const HISTORY_STRIDE = 500;
/** Memory of a value besides its text. */
const VALUE_BYTES = 16;

/** About what a value of a journal takes in memory: text at two bytes a character. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce<number>((sum, each) => sum + bytesOf(each), VALUE_BYTES);
}

class Fold implements RunFold {
  lastSeq = 0;
  /** It holds at most this: of all that was folded in, some is not kept. */
  bytes = 0;
  /** The reading in flight, or the last one. */
  reading: Promise<unknown> = Promise.resolve();
  readonly #stream: string;
  readonly #run = newRunState();
  #newer: PlacedEntry | undefined;
  readonly #messages = createMessageView();
  readonly #metrics = createMetricsView(this.#messages);
  readonly #snapshots = new Map<number, RunSnapshot>();
  readonly #history = createHistoryView();
  readonly #places = [{ seq: 0, history: this.#history.place() }];

  constructor(stream: string) {
    this.#stream = stream;
  }

  add(placed: PlacedEntry): void {
    const { seq, entry } = placed;
    this.#metrics.add(entry);
    this.#addHistory(seq, entry);
    if (entry.type === 'run.started') this.#snapshots.set(entry.data.attempt, entry.data.snapshot);
    if (entry.type === 'run.restored') this.#snapshots.set(entry.data.attempt, restoredSnapshot(entry.data));
    if (!isSupportedEntry(entry)) this.#newer ??= placed;
    if (this.#newer === undefined) applyEntry(this.#run, entry);
    this.lastSeq = seq;
    this.bytes += bytesOf(entry.data);
  }

  #addHistory(seq: number, entry: Entry): void {
    this.#history.add(entry);
    this.#history.items.length = 0;
    const { seq: last } = this.#places.at(-1) ?? { seq: 0 };
    if (seq - last >= HISTORY_STRIDE) this.#places.push({ seq, history: this.#history.place() });
  }

  readonly messages = () => this.#messages.items();
  readonly metrics = () => this.#metrics.result();
  readonly snapshot = (attempt?: number) => (attempt === undefined ? [...this.#snapshots.values()].at(-1) : this.#snapshots.get(attempt));

  readonly state = (): RunState => {
    if (this.#newer) throw tooNew(this.#stream, { seq: this.#newer.seq, type: this.#newer.entry.type });
    return this.#run;
  };

  readonly historyBefore = (seq: number) => {
    const known = this.#places.findLast((place) => place.seq < seq);
    return known ?? { seq: 0, history: createHistoryView().place() };
  };
}

export interface FoldLimits {
  readonly runs: number;
  readonly bytes: number;
}

/** Folds of the most recently read runs. Streams are named by the uid of their Task, so a new Task under the same name is another run. */
export class RunFolds {
  readonly #reader: Pick<StoreReader, 'readJournal'>;
  readonly #limits: FoldLimits;
  /** Those not requested the longest come first. */
  readonly #kept = new Map<string, Fold>();

  constructor(reader: Pick<StoreReader, 'readJournal'>, limits: FoldLimits = { runs: FOLDS_KEPT_MAX, bytes: FOLDS_KEPT_MAX_BYTES }) {
    this.#reader = reader;
    this.#limits = limits;
  }

  /** All that the journal held when this was called, and maybe more. Readers of one run take turns, so that each entry is folded once. */
  async read(stream: string): Promise<RunFold> {
    const fold = this.#kept.get(stream) ?? new Fold(stream);
    this.#kept.delete(stream);
    this.#kept.set(stream, fold);
    const reading = fold.reading.then(() => this.#readOn(stream, fold));
    fold.reading = reading;
    try {
      await reading;
    } catch (error) {
      // A failed fold may hold half of an entry; the next reader starts over.
      if (this.#kept.get(stream) === fold) this.#kept.delete(stream);
      throw error;
    }
    // By itself too large: it goes, before all others go to make room for it.
    if (fold.bytes > this.#limits.bytes && this.#kept.get(stream) === fold) this.#kept.delete(stream);
    this.#evict();
    return fold;
  }

  async #readOn(stream: string, fold: Fold): Promise<void> {
    for await (const placed of readEntriesInPortions(this.#reader, stream, fold.lastSeq)) fold.add(placed);
  }

  #evict(): void {
    let bytes = 0;
    for (const fold of this.#kept.values()) bytes += fold.bytes;
    for (const [stream, fold] of this.#kept) {
      if (this.#kept.size <= this.#limits.runs && bytes <= this.#limits.bytes) return;
      this.#kept.delete(stream);
      bytes -= fold.bytes;
    }
  }
}
