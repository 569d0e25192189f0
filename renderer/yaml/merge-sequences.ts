// Three versions of a sequence side by side: changes of one side, equal changes of both, and conflicts. Pure.
import { diffArrays } from 'diff';

export type MergeStatus = 'same' | 'mine' | 'theirs' | 'both' | 'conflict';

/** A stretch of the sequence in its three versions. `both`: changed alike. */
export interface Region<Item> {
  readonly status: MergeStatus;
  readonly base: readonly Item[];
  readonly mine: readonly Item[];
  readonly theirs: readonly Item[];
}

export interface Versions<Value> {
  readonly base: Value;
  readonly mine: Value;
  readonly theirs: Value;
}

/** A range of the base and its replacement on one side. */
interface Change<Item> {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Item[];
}

/** Beyond this many edits two texts have too little in common. */
const EDITS_MAX = 20_000;

type Same<Item> = (a: Item, b: Item) => boolean;

function changesOf<Item>(base: readonly Item[], other: readonly Item[], same: Same<Item>): Change<Item>[] {
  const parts = diffArrays([...base], [...other], { comparator: same, maxEditLength: EDITS_MAX });
  // Without an answer everything counts as changed.
  if (!parts) return [{ from: 0, to: base.length, items: other }];
  const changes: Change<Item>[] = [];
  let at = 0;
  for (const { value, added, removed } of parts) {
    const last = changes.at(-1);
    const joins = last !== undefined && last.to === at;
    if (added && joins) changes[changes.length - 1] = { ...last, items: [...last.items, ...value] };
    else if (added) changes.push({ from: at, to: at, items: value });
    else if (removed && joins) changes[changes.length - 1] = { ...last, to: at + value.length };
    else if (removed) changes.push({ from: at, to: at + value.length, items: [] });
    if (!added) at += value.length;
  }
  return changes;
}

/** Content of a side in place of base[from, to), which contains its changes completely. */
function versionOf<Item>(base: readonly Item[], { from, to }: { from: number; to: number }, changes: readonly Change<Item>[]): Item[] {
  const items: Item[] = [];
  let at = from;
  for (const change of changes) {
    items.push(...base.slice(at, change.from), ...change.items);
    at = change.to;
  }
  return [...items, ...base.slice(at, to)];
}

function equal<Item>(a: readonly Item[], b: readonly Item[], same: Same<Item>): boolean {
  return a.length === b.length && a.every((item, index) => same(item, b[index] as Item));
}

function statusOf<Item>({ base, mine, theirs }: Versions<readonly Item[]>, same: Same<Item>): MergeStatus {
  if (equal(mine, theirs, same)) return equal(mine, base, same) ? 'same' : 'both';
  if (equal(mine, base, same)) return 'theirs';
  return equal(theirs, base, same) ? 'mine' : 'conflict';
}

interface SidedChange<Item> extends Change<Item> {
  readonly side: 'mine' | 'theirs';
}

/** Overlapping or adjacent changes, of either side, belong to one region. */
function grouped<Item>(changes: readonly SidedChange<Item>[]): SidedChange<Item>[][] {
  const groups: SidedChange<Item>[][] = [];
  let end = -1;
  for (const change of [...changes].sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (change.from <= end && groups.length > 0) groups.at(-1)?.push(change);
    else groups.push([change]);
    end = Math.max(end, change.to);
  }
  return groups;
}

/** The regions in order; together they cover the whole of each version. */
export function mergeSequences<Item>(
  { base, mine, theirs }: Versions<readonly Item[]>,
  same: Same<Item> = Object.is,
): readonly Region<Item>[] {
  const sided = (side: SidedChange<Item>['side'], other: readonly Item[]) =>
    changesOf(base, other, same).map((change) => ({ ...change, side }));
  const regions: Region<Item>[] = [];
  let at = 0;
  const unchanged = (to: number) => {
    const items = base.slice(at, to);
    if (items.length > 0) regions.push({ status: 'same', base: items, mine: items, theirs: items });
  };
  for (const group of grouped([...sided('mine', mine), ...sided('theirs', theirs)])) {
    const range = { from: Math.min(...group.map(({ from }) => from)), to: Math.max(...group.map(({ to }) => to)) };
    unchanged(range.from);
    const of = (side: SidedChange<Item>['side']) =>
      versionOf(
        base,
        range,
        group.filter((change) => change.side === side),
      );
    const versions = { base: base.slice(range.from, range.to), mine: of('mine'), theirs: of('theirs') };
    regions.push({ status: statusOf(versions, same), ...versions });
    at = range.to;
  }
  unchanged(base.length);
  return regions;
}

/** The merged sequence where no region is a conflict, else undefined. */
export function mergedSequence<Item>(regions: readonly Region<Item>[]): readonly Item[] | undefined {
  if (regions.some(({ status }) => status === 'conflict')) return undefined;
  return regions.flatMap(({ status, mine, theirs }) => (status === 'theirs' ? theirs : mine));
}
