// Fields that a reviewer has changed, place by place. Pure.
import { isObject, jsonEquals } from '@svc/shared/json';
import { memberAt } from '../../../yaml/edit-value.ts';

export interface Edit {
  /** `ids[2]`, `reason`; empty for the whole. */
  readonly path: string;
  /** JSON text; undefined: was not there. */
  readonly before: string | undefined;
  /** JSON text; undefined when the value is removed. */
  readonly after: string | undefined;
}

/** Past this many the rest is counted, not shown. */
const EDITS_MAX = 200;

/** The deepest places that differ. */
export function editsBetween(before: unknown, after: unknown): Edit[] {
  const edits: Edit[] = [];
  collect({ path: '', before, after }, edits);
  return edits;
}

interface Pair {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

function collect(pair: Pair, edits: Edit[]): void {
  const { path, before, after } = pair;
  if (edits.length >= EDITS_MAX || same(before, after)) return;
  const inner = pairsWithin(pair);
  if (!inner) edits.push({ path, before: shown(before), after: shown(after) });
  else for (const each of inner) collect(each, edits);
}

function pairsWithin({ path, before, after }: Pair): Pair[] | undefined {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].map((key) => ({ path: member(path, key), before: memberAt(before, [key]), after: memberAt(after, [key]) }));
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const [old, next] = [before as unknown[], after as unknown[]];
  return Array.from({ length: Math.max(old.length, next.length) }, (_, index) => ({
    path: `${path}[${index}]`,
    before: old[index],
    after: next[index],
  }));
}

const same = (a: unknown, b: unknown) => (a === undefined || b === undefined ? a === b : jsonEquals(a, b));
const shown = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));

function member(path: string, key: string): string {
  if (/^[\w-]+$/.test(key)) return path === '' ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key)}]`;
}
