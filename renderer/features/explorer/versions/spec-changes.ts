// Differences of two specs by field: objects are walked, texts and lists are compared as a whole. Pure.
import { isObject, jsonEquals } from '@svc/shared/json';
import { atKey } from '@svc/shared/path-text';

/** One field that differs; an absent side is undefined. */
export interface SpecChange {
  /** `spec.limits.max_steps`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Fields of the old spec in its order, then those that only the new one has. */
export function specChanges(before: unknown, after: unknown, path = 'spec'): SpecChange[] {
  if (jsonEquals(before ?? null, after ?? null)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    specChanges(own(before, key), own(after, key), atKey(path, key)),
  );
}

/** Keys of maps are a person's: `constructor` is one. */
const own = (map: Readonly<Record<string, unknown>>, key: string): unknown => (Object.hasOwn(map, key) ? map[key] : undefined);
