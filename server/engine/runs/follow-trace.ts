// The trace as it grows: pages of the record, then woken by each commit that appends to the journal. A slow poll is the safety net.
import type { Clock } from '../../clock.ts';
import { CommitWatch } from '../../store/commit-watch.ts';
import { SharedReads } from '../../store/shared-reads.ts';
import type { Store } from '../../store/store.ts';
import { PAGE_ITEMS_MAX, RECORD_BYTES_MAX } from '../core/limits.ts';
import { fromJournal, type Entry } from '../core/entries.ts';
import { CURSOR_INDEX_MAX, formatCursor, isAfter, type TraceCursor } from '../views/trace-cursor.ts';
import { traceOf, type TraceEntry } from '../views/trace.ts';

export interface PlacedTrace {
  readonly cursor: string;
  readonly entry: TraceEntry;
}

export interface TraceSource {
  readonly store: Store;
  readonly clock: Clock;
  readonly stream: string;
}

interface TracePage {
  readonly items: readonly PlacedTrace[];
  readonly next: TraceCursor;
  readonly ended: boolean;
  /** False when the journal held more than the page. */
  readonly complete: boolean;
}

/** A page, and whether no entry will come behind it. */
interface TraceLook {
  readonly over: boolean;
  readonly page: TracePage;
}

export type TraceLooks = SharedReads<TraceLook>;

export const createTraceLooks = (store: Pick<Store, 'onCommit'>): TraceLooks => new SharedReads(store, ({ journals }) => journals);

const SAFETY_LOOK_MS = 5_000;

/** `limit`: journal entries at most; about as many are what it gives. */
export async function readTracePage(source: TraceSource, after: TraceCursor, limit = PAGE_ITEMS_MAX): Promise<TracePage> {
  // The journal entry of the cursor may have more trace entries than were sent; then it is read with the page.
  const again = after.seq > 0 && after.index < CURSOR_INDEX_MAX ? 1 : 0;
  const stored = await source.store.readJournal(source.stream, after.seq - again, limit + again);
  const items: PlacedTrace[] = [];
  let next = after;
  let ended = false;
  let bytes = 0;
  for (const { seq, ...rest } of stored) {
    if (bytes >= RECORD_BYTES_MAX) return { items, next, ended: false, complete: false };
    const entry = fromJournal(rest);
    traceOf(entry).forEach((trace, index) => {
      const place = { seq, index };
      if (!isAfter(place, after)) return;
      items.push({ cursor: formatCursor(place), entry: trace });
      bytes += JSON.stringify(trace).length;
    });
    next = { seq, index: CURSOR_INDEX_MAX };
    ended ||= isEnd(entry);
  }
  return { items, next, ended, complete: stored.length < limit + again };
}

function isEnd(entry: Entry): boolean {
  return entry.type === 'run.completed' || entry.type === 'run.failed';
}

interface Following {
  readonly signal: AbortSignal;
  readonly isOver: () => Promise<boolean>;
  /** Shared by all readers of traces. */
  readonly looks: TraceLooks;
}

/** Ends after the entry that ends the Task, when `isOver` says that no entry will come, or when aborted. */
export async function* followTrace(
  source: TraceSource,
  after: TraceCursor,
  { signal, isOver, looks }: Following,
): AsyncGenerator<readonly PlacedTrace[]> {
  const watch = watchJournal(source, signal);
  try {
    let cursor = after;
    while (!signal.aborted) {
      const from = cursor;
      const look = async () => ({ over: await isOver(), page: await readTracePage(source, from) });
      const { over, page } = await looks.read(source.stream, formatCursor(from), look);
      cursor = page.next;
      if (page.items.length > 0) yield page.items;
      if (page.ended || (over && page.complete)) return;
      if (page.complete) await watch.next();
    }
  } finally {
    watch.close();
  }
}

/** How soon after one tick the next may come. */
const GROWTH_PAUSE_MS = 1_000;

/**
 * Ticks when the journal may have grown, at most once a second, for readers of its views. The safety poll ticks too: a tick without growth
 * costs its reader a question, a growth without a tick would leave it with an old answer. Ends when aborted.
 */
export async function* followGrowth(source: TraceSource, signal: AbortSignal): AsyncGenerator<void> {
  const watch = watchJournal(source, signal);
  try {
    for (;;) {
      await watch.next();
      if (signal.aborted) return;
      yield;
      await source.clock.sleep(GROWTH_PAUSE_MS, signal).catch(() => undefined);
    }
  } finally {
    watch.close();
  }
}

const watchJournal = ({ stream, ...source }: TraceSource, signal: AbortSignal): CommitWatch =>
  new CommitWatch({ ...source, signal, concerns: ({ journals }) => journals.has(stream), lookMs: SAFETY_LOOK_MS });
