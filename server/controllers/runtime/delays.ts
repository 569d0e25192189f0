// Keys that wait for a moment each, the earliest first. A binary heap; entries that were replaced are dropped when they surface.

interface Entry {
  readonly key: string;
  readonly at: number;
}

export interface Delays {
  /** Replaces the moment the key waited for. */
  set(key: string, at: number): void;
  delete(key: string): void;
  /** Removes and returns the keys whose moment is not after `now`, earliest first. */
  takeDue(now: number): string[];
  /** The earliest moment anything waits for. */
  next(): number | undefined;
}

/** Replaced entries are cleared out once they outnumber the living by this factor. */
const DEAD_FACTOR = 2;
const HEAP_MIN = 64;

export function createDelays(): Delays {
  const moments = new Map<string, number>();
  let heap: Entry[] = [];

  const lives = ({ key, at }: Entry): boolean => moments.get(key) === at;
  const dropDead = (): void => {
    for (let top = heap[0]; top && !lives(top); top = heap[0]) pop(heap);
  };
  return {
    set(key, at) {
      if (moments.get(key) === at) return;
      moments.set(key, at);
      push(heap, { key, at });
      if (heap.length <= HEAP_MIN + moments.size * DEAD_FACTOR) return;
      // A sorted array is a heap.
      heap = [...moments].map(([living, moment]) => ({ key: living, at: moment })).sort((a, b) => a.at - b.at);
    },
    delete: (key) => void moments.delete(key),
    takeDue(now) {
      const due: string[] = [];
      dropDead();
      for (let top = heap[0]; top && top.at <= now; top = heap[0]) {
        pop(heap);
        moments.delete(top.key);
        due.push(top.key);
        dropDead();
      }
      return due;
    },
    next() {
      dropDead();
      return heap[0]?.at;
    },
  };
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.push(entry) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (!above || above.at <= entry.at) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): void {
  const moved = heap.pop();
  if (!moved || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const [left, right] = [heap[2 * index + 1], heap[2 * index + 2]];
    const child = right && left && right.at < left.at ? right : left;
    if (!child || child.at >= moved.at) break;
    heap[index] = child;
    index = 2 * index + (child === left ? 1 : 2);
  }
  heap[index] = moved;
}
