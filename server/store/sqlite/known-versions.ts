// Objects by their versions, so that a list loads and parses no version twice. Only committed versions may be in it: one that is rolled back comes
// again with other contents.
import { LRUCache } from 'lru-cache';
import type { StoredObject } from '../store.ts';

/** An object of the list. All readers share it; nobody may change it. */
export interface KnownVersion {
  readonly id: number;
  readonly object: StoredObject;
  /** Characters of its JSON. */
  readonly size: number;
}

/** Characters of the JSON of all of them together. */
const KNOWN_MAX_CHARS = 4 * 1024 * 1024;
/** A larger object is loaded by each list. */
const OBJECT_MAX_CHARS = 32 * 1024;

export interface KnownVersions {
  /** `version` names the object, its version and its row. */
  of(version: string, read: (version: string) => KnownVersion): KnownVersion;
  /** To be called when versions got other contents. */
  clear(): void;
}

export function createKnownVersions(): KnownVersions {
  const known = new LRUCache<string, KnownVersion>({
    maxSize: KNOWN_MAX_CHARS,
    maxEntrySize: OBJECT_MAX_CHARS,
    sizeCalculation: ({ size }) => size,
  });
  return {
    of(version, read) {
      const found = known.get(version);
      if (found) return found;
      const made = read(version);
      known.set(version, made);
      return made;
    },
    clear: () => known.clear(),
  };
}

/** For connections that see uncommitted versions: remembers nothing. */
export const NO_KNOWN_VERSIONS: KnownVersions = { of: (version, read) => read(version), clear: () => undefined };
