// Edits by path as changes of plain values: the expected value after an edit, and the smallest edits from one value to another. Pure.
import { isObject, jsonEquals } from '@svc/shared/json';
import type { PathSegment } from '@svc/shared/path-text';
import type { YamlPath } from './path-text.ts';

/**
 * `set` creates missing parents; a list or map over an old one changes only the differences. `delete` of a missing key does nothing.
 * `rename` gives the key at `path` another name in its place. `insert` puts an entry into the list at `path`, which is created if missing;
 * an index behind the end means last.
 */
export type DocumentEdit =
  | { readonly op: 'set'; readonly path: YamlPath; readonly value: unknown }
  | { readonly op: 'delete'; readonly path: YamlPath }
  | { readonly op: 'rename'; readonly path: YamlPath; readonly key: string }
  | { readonly op: 'insert'; readonly path: YamlPath; readonly index: number; readonly value: unknown };

/** The value with the edit made; undefined where it is impossible: a key in a text, a taken name. The value itself is not changed. */
export function editValue(value: unknown, edit: DocumentEdit): { readonly value: unknown } | undefined {
  const [segment, ...rest] = edit.path;
  if (segment === undefined || (edit.op === 'rename' && rest.length === 0)) return editHere(value, edit, segment);
  const inner = memberOf(value, segment);
  if (edit.op === 'delete' && rest.length === 0) return { value: without(value, segment) };
  if (edit.op === 'delete' && inner === undefined) return { value };
  const next = editValue(inner, { ...edit, path: rest });
  return next && withMember(value, segment, next.value);
}

function editHere(value: unknown, edit: DocumentEdit, segment: PathSegment | undefined): { readonly value: unknown } | undefined {
  switch (edit.op) {
    case 'set':
      return { value: edit.value };
    case 'delete':
      return { value: null };
    case 'insert': {
      if (value !== undefined && value !== null && !Array.isArray(value)) return undefined;
      const list: unknown[] = Array.isArray(value) ? value : [];
      return { value: list.toSpliced(edit.index, 0, edit.value) };
    }
    case 'rename': {
      const from = String(segment);
      if (!isObject(value) || !Object.hasOwn(value, from)) return undefined;
      if (edit.key !== from && Object.hasOwn(value, edit.key)) return undefined;
      return { value: Object.fromEntries(Object.entries(value).map(([key, each]) => [key === from ? edit.key : key, each])) };
    }
  }
}

function memberOf(value: unknown, segment: PathSegment): unknown {
  if (Array.isArray(value)) return typeof segment === 'number' ? (value as unknown[])[segment] : undefined;
  return isObject(value) && Object.hasOwn(value, String(segment)) ? value[String(segment)] : undefined;
}

function withMember(value: unknown, segment: PathSegment, next: unknown): { readonly value: unknown } | undefined {
  if (typeof segment === 'number' && (Array.isArray(value) || value === undefined || value === null)) {
    const list = [...((value as unknown[] | null | undefined) ?? [])];
    if (segment > list.length) return undefined;
    list[segment] = next;
    return { value: list };
  }
  if (value !== undefined && value !== null && !isObject(value)) return undefined;
  const entries = Object.entries(value ?? {});
  const key = String(segment);
  const there = entries.some(([name]) => name === key);
  return {
    value: Object.fromEntries(there ? entries.map(([name, each]) => [name, name === key ? next : each]) : [...entries, [key, next]]),
  };
}

function without(value: unknown, segment: PathSegment): unknown {
  if (Array.isArray(value)) return (value as unknown[]).filter((_, index) => index !== segment);
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== String(segment))) : value;
}

/** Value at a path; undefined where there is none. */
export function memberAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>((at, segment) => memberOf(at, segment), value ?? undefined);
}

const under = (path: YamlPath, segment: PathSegment): YamlPath => [...path, segment];

/** Single edits that turn one value into another. */
export function stepsBetween(before: unknown, after: unknown, path: YamlPath): DocumentEdit[] {
  if (jsonEquals(before, after) && before !== undefined) return [];
  if (isObject(before) && isObject(after)) {
    const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key) || after[key] === undefined);
    const kept = Object.keys(after).filter((key) => after[key] !== undefined);
    return [
      ...kept.flatMap((key) => stepsBetween(memberOf(before, key), after[key], under(path, key))),
      ...gone.map((key): DocumentEdit => ({ op: 'delete', path: under(path, key) })),
    ];
  }
  if (Array.isArray(before) && Array.isArray(after)) return listSteps(before, after, path);
  return [{ op: 'set', path, value: after }];
}

function listSteps(before: readonly unknown[], after: readonly unknown[], path: YamlPath): DocumentEdit[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && jsonEquals(before[start], after[start])) start += 1;
  let end = 0;
  while (end < most - start && jsonEquals(before[before.length - 1 - end], after[after.length - 1 - end])) end += 1;
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const both = Math.min(old.length, fresh.length);
  return [
    ...fresh.slice(0, both).flatMap((value, at) => stepsBetween(old[at], value, under(path, start + at))),
    // In reverse, so that each index stays valid.
    ...old.slice(both).map((_, at): DocumentEdit => ({ op: 'delete', path: under(path, start + old.length - 1 - at) })),
    ...fresh.slice(both).map((value, at): DocumentEdit => ({ op: 'insert', path, index: start + both + at, value })),
  ];
}

/** The value with the missing steps to it created around it. */
export function wrapped(path: YamlPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, segment) => (typeof segment === 'number' ? [inner] : { [segment]: inner }), value);
}
