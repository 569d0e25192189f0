// Bound of a cache by its number of entries, for caches that are large when full and mostly stay empty.

/** Options of an LRUCache for this many entries. It takes memory as it fills; with `max` it reserves all at once, which is 220 KB for 10,000 entries. */
export const entriesMax = (entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: () => 1,
});
