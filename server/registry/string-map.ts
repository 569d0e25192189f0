// Labels and annotations: what a client may send as a string map, with its limits. Pure.
import { isObject } from '@svc/shared/json';
import type { FieldError } from '@svc/shared/errors';

/** Entries of one map. */
const ENTRIES_MAX = 256;
const KEY_LENGTH_MAX = 317;
const LABEL_VALUE_LENGTH_MAX = 255;
/** Characters of all keys and values of the annotations together. */
const ANNOTATIONS_LENGTH_MAX = 262_144;
const SHOWN_KEY_LENGTH_MAX = 80;
const KEY_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/;
const CONTROL_CHARACTERS = /\p{Cc}/u;

export type StringMap = Readonly<Record<string, string>>;

/** Reads `metadata.labels` or `metadata.annotations`; absent and null give an empty map. */
export function readStringMap(value: unknown, field: 'labels' | 'annotations'): { map: StringMap; errors: FieldError[] } {
  const path = `metadata.${field}`;
  if (value === undefined || value === null) return { map: {}, errors: [] };
  if (!isObject(value)) return { map: {}, errors: [{ path, message: 'must be an object of strings' }] };
  const entries = Object.entries(value);
  if (entries.length > ENTRIES_MAX) return { map: {}, errors: [{ path, message: `must have at most ${ENTRIES_MAX} entries` }] };
  const problems = entries.map(([key, entry]) => ({ path: `${path}.${shownKey(key)}`, message: entryProblem(key, entry, field) }));
  const errors = problems.filter((problem): problem is FieldError => problem.message !== undefined);
  if (errors.length > 0) return { map: {}, errors };
  // Every value is a string by now; an object may have a toString that is no function.
  const map = Object.fromEntries(entries) as StringMap;
  const length = Object.entries(map).reduce((sum, [key, entry]) => sum + key.length + entry.length, 0);
  if (length <= ANNOTATIONS_LENGTH_MAX) return { map, errors: [] };
  return { map: {}, errors: [{ path, message: `must have at most ${ANNOTATIONS_LENGTH_MAX} characters in all` }] };
}

function entryProblem(key: string, value: unknown, field: 'labels' | 'annotations'): string | undefined {
  if (key.length > KEY_LENGTH_MAX || !KEY_PATTERN.test(key)) {
    return `has a key that is not 1 to ${KEY_LENGTH_MAX} letters, digits, ".", "_", "-" or "/", beginning and ending with a letter or digit`;
  }
  if (typeof value !== 'string') return 'must be a string (in YAML, quote numbers and booleans)';
  if (field === 'annotations') return undefined;
  if (value.length > LABEL_VALUE_LENGTH_MAX) return `must be at most ${LABEL_VALUE_LENGTH_MAX} characters`;
  return CONTROL_CHARACTERS.test(value) ? 'must not contain control characters' : undefined;
}

function shownKey(key: string): string {
  return key.length > SHOWN_KEY_LENGTH_MAX ? `${key.slice(0, SHOWN_KEY_LENGTH_MAX)}…` : key;
}
