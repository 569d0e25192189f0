// Gives memory back once the process has been quiet: V8 keeps what a load made it reserve, for good where little is allocated afterwards.
// Nothing polls: collections of the heap themselves say that the process works, and each quiet time is one timer.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** The process is quiet after this time without a collection. */
const QUIET_MS = 10_000;
/** A heap that has grown by less since the last time is left alone: giving it back pauses the process for about a quarter of a second. */
const GROWN_BYTES = 16 * 1024 * 1024;

export interface QuietCollectorOptions {
  /** Collects everything and gives free memory back. Never rejects. */
  readonly collect: () => Promise<void>;
  /** Bytes that the heap has reserved; default: those of this process. */
  readonly heapBytes?: () => number;
}

/** Returns what is to be called at each collection of the heap. */
export function createQuietCollector({ collect, heapBytes = ownHeapBytes }: QuietCollectorOptions): () => void {
  let collectedAt = 0;
  /** Bytes after the last time; the first time is due whatever the heap has grown to since the start. */
  let floor = 0;
  let timer: NodeJS.Timeout | undefined;
  const arm = (ms: number): void => {
    timer = setTimeout(() => void look(), ms);
    timer.unref();
  };
  const look = async (): Promise<void> => {
    const leftMs = collectedAt + QUIET_MS - performance.now();
    if (leftMs > 0) return arm(leftMs);
    if (heapBytes() - floor > GROWN_BYTES) {
      await collect();
      floor = heapBytes();
    }
    timer = undefined;
  };
  return () => {
    collectedAt = performance.now();
    if (!timer) arm(QUIET_MS);
  };
}

/** process.memoryUsage() opens a file, which throws in a process without a free descriptor. */
const ownHeapBytes = () => getHeapStatistics().total_heap_size;

/** Nothing but this holds the session while its own command collects what nobody holds. */
const sessions = new Set<unknown>();

/** Collects the heap of this thread. The inspector's command is the one way that shrinks it as well. It opens no port. */
export async function collectHeap(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  sessions.add(session);
  session.connect();
  try {
    await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => resolve()));
  } finally {
    session.disconnect();
    sessions.delete(session);
  }
}

/** From now on to the end of the process. */
export function collectWhenQuiet(): void {
  const onCollection = createQuietCollector({
    // A runtime without an inspector keeps its memory.
    collect: () => collectHeap().catch(() => undefined),
  });
  new PerformanceObserver(onCollection).observe({ entryTypes: ['gc'] });
  onCollection();
}
