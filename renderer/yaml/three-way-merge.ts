// Merge of three versions of an object's YAML: base, mine, theirs. By path where all can be read, by line where not. Pure.
import { isObject, jsonEquals } from '@svc/shared/json';
import { editYaml } from './edit-document.ts';
import type { DocumentEdit } from './edit-value.ts';
import { mergedSequence, mergeSequences, type MergeStatus, type Region, type Versions } from './merge-sequences.ts';
import { pathText } from '@svc/shared/path-text';
import type { YamlPath } from './path-text.ts';
import { toYaml } from './serialise.ts';
import { onlyValueOf } from './yaml-paths.ts';

export type MergeChoice = 'mine' | 'theirs' | 'both';

/** A place where the versions differ, and its choices. Texts are for display; empty where nothing is. */
export interface MergeHunk {
  readonly id: string;
  /** The path, or the lines. */
  readonly title: string;
  readonly status: Exclude<MergeStatus, 'same'>;
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  /** Result of taking both sides, where that makes sense. */
  readonly both: string | undefined;
  /** Default choice; undefined where the person must choose. */
  readonly preset: MergeChoice | undefined;
}

export interface MergePlan {
  /** `lines`: a version cannot be read as YAML. */
  readonly by: 'path' | 'lines';
  readonly hunks: readonly MergeHunk[];
  /** The text with a choice for each hunk; undefined while a required choice is missing. */
  readonly result: (choices: ReadonlyMap<string, MergeChoice>) => string | undefined;
}

/** A value, or its absence. */
type Maybe = { readonly value: unknown } | undefined;

interface ValueHunk {
  readonly path: YamlPath;
  readonly status: Exclude<MergeStatus, 'same'>;
  readonly base: Maybe;
  readonly mine: Maybe;
  readonly theirs: Maybe;
  readonly both: Maybe;
}

const same = (a: Maybe, b: Maybe) => (a && b ? jsonEquals(a.value, b.value) : a === b);

function statusOf({ base, mine, theirs }: Versions<Maybe>): MergeStatus {
  if (same(mine, theirs)) return same(mine, base) ? 'same' : 'both';
  if (same(mine, base)) return 'theirs';
  return same(theirs, base) ? 'mine' : 'conflict';
}

function member(value: Maybe, key: string): Maybe {
  return isObject(value?.value) && Object.hasOwn(value.value, key) ? { value: value.value[key] } : undefined;
}

function entry(value: Maybe, index: number): Maybe {
  const list = value?.value as readonly unknown[];
  return { value: list[index] };
}

const every = ({ base, mine, theirs }: Versions<Maybe>, fits: (value: unknown) => boolean) =>
  base !== undefined && mine !== undefined && theirs !== undefined && fits(base.value) && fits(mine.value) && fits(theirs.value);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isLines = (value: unknown): value is string => typeof value === 'string' && value.includes('\n');

const holds = (items: readonly unknown[], item: unknown) => items.some((each) => jsonEquals(each, item));

const repeats = (items: readonly unknown[]) => new Set(items.map((item) => JSON.stringify(item))).size < items.length;

/** Whether the items of `some` are in `all`, in this order. */
function isWithin(some: readonly unknown[], all: readonly unknown[]): boolean {
  let found = 0;
  for (const item of all) if (found < some.length && jsonEquals(item, some[found])) found += 1;
  return found === some.length;
}

/** Both sides of a conflict where each only adds or only removes items; a changed item would count as a removed and an added one. */
function bothOfRegion({ base, mine, theirs }: Region<unknown>): readonly unknown[] | undefined {
  if (![mine, theirs].every((side) => isWithin(side, base) || isWithin(base, side))) return undefined;
  const kept = mine.filter((item) => holds(theirs, item) || !holds(base, item));
  return [...kept, ...theirs.filter((item) => !holds(base, item) && !holds(mine, item))];
}

/** Merges both changes, in a list or a text of lines where they are in different places, or only add or remove. */
function bothOf(versions: Versions<Maybe>): Maybe {
  if (every(versions, isLines)) {
    const lines = (value: Maybe) => (value?.value as string).split('\n');
    const merged = mergedSequence(
      mergeSequences({ base: lines(versions.base), mine: lines(versions.mine), theirs: lines(versions.theirs) }),
    );
    return merged && { value: merged.join('\n') };
  }
  const { base = { value: [] }, mine, theirs } = versions;
  if (!isList(base.value) || !isList(mine?.value) || !isList(theirs?.value)) return undefined;
  const regions = mergeSequences<unknown>({ base: base.value, mine: mine.value, theirs: theirs.value }, jsonEquals);
  const merged = regions.map((region) =>
    region.status === 'conflict' ? bothOfRegion(region) : region[region.status === 'theirs' ? 'theirs' : 'mine'],
  );
  const value = merged.every((items) => items !== undefined) ? merged.flat() : undefined;
  // An item that each side moved to another place would be in both.
  return value && (!repeats(value) || repeats(mine.value) || repeats(theirs.value)) ? { value } : undefined;
}

/** Places where the versions differ, as deep as all of them have the same shape. */
function valueHunks(versions: Versions<Maybe>, path: YamlPath = []): readonly ValueHunk[] {
  const status = statusOf(versions);
  if (status === 'same') return [];
  const { base, mine, theirs } = versions;
  if (every(versions, isObject)) {
    const keys = new Set([base, mine, theirs].flatMap((each) => Object.keys(each?.value as object)));
    return [...keys].flatMap((key) =>
      valueHunks({ base: member(base, key), mine: member(mine, key), theirs: member(theirs, key) }, [...path, key]),
    );
  }
  const length = isList(base?.value) ? base.value.length : -1;
  if (every(versions, (value) => isList(value) && value.length === length && value.every(isObject))) {
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      valueHunks({ base: entry(base, index), mine: entry(mine, index), theirs: entry(theirs, index) }, [...path, index]),
    );
  }
  return [{ path, status, ...versions, both: status === 'conflict' ? bothOf(versions) : undefined }];
}

function shown(value: Maybe): string {
  if (!value) return '';
  return typeof value.value === 'string' ? value.value : toYaml(value.value).trimEnd();
}

function presetOf({ status, both }: Pick<ValueHunk, 'status' | 'both'>): MergeChoice | undefined {
  if (status === 'conflict') return both ? 'both' : undefined;
  return status === 'theirs' ? 'theirs' : 'mine';
}

function chosenOf(hunk: Pick<MergeHunk, 'id' | 'preset'>, choices: ReadonlyMap<string, MergeChoice>): MergeChoice | undefined {
  return choices.get(hunk.id) ?? hunk.preset;
}

function editFor(hunk: ValueHunk, choice: MergeChoice): DocumentEdit | undefined {
  if (choice === 'mine') return undefined;
  const value = choice === 'both' ? hunk.both : hunk.theirs;
  return value ? { op: 'set', path: hunk.path, value: value.value } : { op: 'delete', path: hunk.path };
}

function planByPath(mine: string, versions: Versions<Maybe>): MergePlan {
  const values = valueHunks(versions);
  const hunks = values.map((hunk): MergeHunk => {
    const text = { base: shown(hunk.base), mine: shown(hunk.mine), theirs: shown(hunk.theirs), both: hunk.both && shown(hunk.both) };
    return {
      id: pathText(hunk.path),
      title: pathText(hunk.path) || 'the whole object',
      status: hunk.status,
      ...text,
      preset: presetOf(hunk),
    };
  });
  return {
    by: 'path',
    hunks,
    result: (choices) => {
      const chosen = hunks.map((hunk) => chosenOf(hunk, choices));
      if (chosen.includes(undefined)) return undefined;
      const edits = values.map((hunk, index) => editFor(hunk, chosen[index] ?? 'mine')).filter((edit) => edit !== undefined);
      return editYaml(mine, edits);
    },
  };
}

const linesOf = (text: string) => text.split(/(?<=\n)/);

/** The last line of a text may have no end. */
const joined = (above: string, below: string) => (above === '' || above.endsWith('\n') ? above + below : `${above}\n${below}`);

function planByLines(texts: Versions<string>): MergePlan {
  const regions = mergeSequences({ base: linesOf(texts.base), mine: linesOf(texts.mine), theirs: linesOf(texts.theirs) });
  let line = 1;
  const hunks = regions.map((region, index): MergeHunk | undefined => {
    const begins = line;
    line += region.mine.length;
    if (region.status === 'same') return undefined;
    const [base, mine, theirs] = [region.base.join(''), region.mine.join(''), region.theirs.join('')];
    const both = region.status === 'conflict' ? joined(mine, theirs) : undefined;
    const preset = region.status === 'conflict' ? undefined : region.status === 'theirs' ? 'theirs' : 'mine';
    return { id: String(index), title: `from line ${begins}`, status: region.status, base, mine, theirs, both, preset };
  });
  const differing = hunks.filter((hunk) => hunk !== undefined);
  return {
    by: 'lines',
    hunks: differing,
    result: (choices) => {
      if (differing.some((hunk) => chosenOf(hunk, choices) === undefined)) return undefined;
      return regions
        .map((region, index) => {
          const hunk = hunks[index];
          const choice = hunk ? chosenOf(hunk, choices) : 'mine';
          return choice === 'both' ? (hunk?.both ?? '') : region[choice ?? 'mine'].join('');
        })
        .join('');
    },
  };
}

/** Merges three versions. The result keeps the comments and the order of `mine`. */
export function planMerge(texts: Versions<string>): MergePlan {
  const versions = { base: onlyValueOf(texts.base), mine: onlyValueOf(texts.mine), theirs: onlyValueOf(texts.theirs) };
  return every(versions, isObject) ? planByPath(texts.mine, versions) : planByLines(texts);
}

/** Hunks that still need a choice. */
export function openConflicts(plan: MergePlan, choices: ReadonlyMap<string, MergeChoice>): readonly MergeHunk[] {
  return plan.hunks.filter((hunk) => chosenOf(hunk, choices) === undefined);
}
