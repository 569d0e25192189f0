// Reads and replaces parts of a JSON value by path, without changing the value itself. Pure.
import { isObject, type Json } from '@svc/shared/json';
import { memberAt } from '../yaml/edit-value.ts';
import type { YamlPath } from '../yaml/path-text.ts';

export function valueAt(value: Json | undefined, path: YamlPath): Json | undefined {
  return memberAt(value, path) as Json | undefined;
}

/** The object with the key set, at its old position or last; with `undefined` without the key. */
export function withKey(value: Json | undefined, key: string, next: Json | undefined): Json {
  const entries = isObject(value) ? Object.entries(value as Record<string, Json>) : [];
  const at = entries.findIndex(([name]) => name === key);
  if (next === undefined) return fromEntries(entries.filter(([name]) => name !== key));
  if (at < 0) return fromEntries([...entries, [key, next]]);
  return fromEntries(entries.map((entry) => (entry[0] === key ? [key, next] : entry)));
}

/** `__proto__` is a key like any other here. */
function fromEntries(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries);
}

export function withEntry(value: Json | undefined, index: number, next: Json): Json {
  return (Array.isArray(value) ? (value as Json[]) : []).map((entry, at) => (at === index ? next : entry));
}

export function withoutEntry(value: Json | undefined, index: number): Json {
  return (Array.isArray(value) ? (value as Json[]) : []).filter((_, at) => at !== index);
}

export function moved(value: Json | undefined, from: number, to: number): Json {
  const entries = Array.isArray(value) ? [...(value as Json[])] : [];
  const [entry] = entries.splice(from, 1);
  if (entry !== undefined) entries.splice(to, 0, entry);
  return entries;
}
