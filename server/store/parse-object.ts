// Stored objects by their JSON. Equal text gives the same object, which all readers share: a version is parsed once at most, and not at all where
// this process wrote it, and what readers derive from it is remembered by its identity. Nobody may change such an object.
import { LRUCache } from 'lru-cache';
import type { StoredObject } from './store.ts';

/** Characters of all remembered texts together. */
const REMEMBERED_MAX_CHARS = 4 * 1024 * 1024;
/** A longer text is parsed at each read. */
const TEXT_MAX_CHARS = 32 * 1024;

const remembered = new LRUCache<string, StoredObject>({
  maxSize: REMEMBERED_MAX_CHARS,
  sizeCalculation: (_, text) => text.length,
});

/** The JSON of an object that is written. Its readers get the object itself, so nobody changes it from here on. */
export function objectText(object: StoredObject): string {
  const text = JSON.stringify(object);
  if (text.length <= TEXT_MAX_CHARS) remembered.set(text, object);
  return text;
}

export function parseObject(text: string): StoredObject {
  if (text.length > TEXT_MAX_CHARS) return JSON.parse(text) as StoredObject;
  const known = remembered.get(text);
  if (known) return known;
  const parsed = JSON.parse(text) as StoredObject;
  remembered.set(text, parsed);
  return parsed;
}
