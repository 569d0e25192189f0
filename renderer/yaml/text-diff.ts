// Differences between two texts or two JSON values, as parts to show. Pure; gives up exactness rather than time.
import { diffLines, diffWordsWithSpace } from 'diff';

export interface DiffPart {
  readonly type: 'same' | 'added' | 'removed';
  readonly text: string;
}

export interface DiffRow {
  readonly type: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
  /** Number of lines of a `skipped` part. */
  readonly lines?: number;
}

const TIME_MAX_MS = 250;
/** Maximum length of both texts together for a comparison by word; longer ones are compared by line. */
const WORDS_MAX_CHARS = 200_000;
const CONTEXT_LINES = 3;
const SKIP_FROM_LINES = 8;

interface Changed {
  readonly value: string;
  readonly added?: boolean;
  readonly removed?: boolean;
}

function partsOf(changes: readonly Changed[] | undefined, before: string, after: string): DiffPart[] {
  if (!changes)
    return [
      { type: 'removed', text: before },
      { type: 'added', text: after },
    ];
  return changes.map(({ value, added, removed }) => ({ type: added ? 'added' : removed ? 'removed' : 'same', text: value }));
}

/** Parts of both texts in reading order, by word; for very long ones by line. */
export function wordParts(before: string, after: string): readonly DiffPart[] {
  if (before === after) return before === '' ? [] : [{ type: 'same', text: before }];
  const byWord = before.length + after.length <= WORDS_MAX_CHARS ? diffWordsWithSpace(before, after, { timeout: TIME_MAX_MS }) : undefined;
  return byWord ? partsOf(byWord, before, after) : lineParts(before, after);
}

/** Parts of both texts in reading order, by line. */
export function lineParts(before: string, after: string): readonly DiffPart[] {
  return partsOf(diffLines(before, after, { timeout: TIME_MAX_MS }), before, after);
}

/** Indented JSON with sorted keys, so that only real differences differ. */
function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(value), null, 2) ?? '';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function folded(lines: readonly string[], { first, last }: { readonly first: boolean; readonly last: boolean }): DiffRow[] {
  const head = first ? 0 : CONTEXT_LINES;
  const tail = last ? 0 : CONTEXT_LINES;
  const rows = (some: readonly string[]): DiffRow[] => some.map((text) => ({ type: 'same', text }));
  const hidden = lines.length - head - tail;
  if (hidden < SKIP_FROM_LINES) return rows(lines);
  return [...rows(lines.slice(0, head)), { type: 'skipped', text: '', lines: hidden }, ...rows(lines.slice(lines.length - tail))];
}

/** Lines of two JSON values, equal ones folded away except for some around each change. */
export function jsonRows(before: unknown, after: unknown): readonly DiffRow[] {
  const [old, fresh] = [`${sortedJson(before)}\n`, `${sortedJson(after)}\n`];
  const parts = lineParts(old, fresh);
  return parts.flatMap(({ type, text }, index): DiffRow[] => {
    const lines = linesOf(text);
    if (type === 'same') return folded(lines, { first: index === 0, last: index === parts.length - 1 });
    return lines.map((line) => ({ type, text: line }));
  });
}
