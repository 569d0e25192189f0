// The lines of a JSON tree: only unfolded nodes become lines, so that a value of megabytes costs only its visible part. Pure.

export interface JsonRow {
  /** Path of the value, as JSON of its keys: unique in the tree. */
  readonly path: string;
  readonly depth: number;
  /** Key or index; undefined for the root. */
  readonly name: string | undefined;
  readonly value: unknown;
  /** Members of an object or array; undefined for plain values. */
  readonly size: number | undefined;
  readonly open: boolean;
  /** Placeholder for unlisted members. */
  readonly more?: { readonly parent: string; readonly hidden: number };
}

/** Members listed at first; the rest is loaded on demand. */
export const MEMBERS_STEP = 200;

export interface JsonView {
  /** Paths folded or unfolded by hand; others follow `openDepth`. */
  readonly toggled: ReadonlyMap<string, boolean>;
  readonly openDepth: number;
  /** Number of listed members, where somebody requested more. */
  readonly listed: ReadonlyMap<string, number>;
}

function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

function isOpen(view: JsonView, path: string, depth: number): boolean {
  return view.toggled.get(path) ?? depth < view.openDepth;
}

interface Node {
  readonly keys: readonly (string | number)[];
  readonly value: unknown;
}

export function jsonRows(root: unknown, view: JsonView): JsonRow[] {
  const rows: JsonRow[] = [];
  // An explicit stack: a value nested ten thousand deep must not end the page.
  const stack: (Node | JsonRow)[] = [{ keys: [], value: root }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if ('path' in next) {
      rows.push(next);
      continue;
    }
    const row = rowOf(next, view);
    rows.push(row);
    if (row.open) stack.push(...membersOf(next, row, view).reverse());
  }
  return rows;
}

function rowOf({ keys, value }: Node, view: JsonView): JsonRow {
  const path = JSON.stringify(keys);
  const size = sizeOf(value);
  const last = keys.at(-1);
  return {
    path,
    depth: keys.length,
    name: last === undefined ? undefined : String(last),
    value,
    size,
    open: size !== undefined && size > 0 && isOpen(view, path, keys.length),
  };
}

function membersOf({ keys, value }: Node, row: JsonRow, view: JsonView): (Node | JsonRow)[] {
  const limit = view.listed.get(row.path) ?? MEMBERS_STEP;
  const names: readonly (string | number)[] = Array.isArray(value)
    ? Array.from({ length: Math.min(limit, value.length) }, (_, index) => index)
    : Object.keys(value as object).slice(0, limit);
  const members: (Node | JsonRow)[] = names.map((name) => ({
    keys: [...keys, name],
    value: (value as Record<string | number, unknown>)[name],
  }));
  const hidden = (row.size ?? 0) - names.length;
  if (hidden > 0) {
    const more = { parent: row.path, hidden };
    members.push({ path: `${row.path}+`, depth: keys.length + 1, name: undefined, value: undefined, size: undefined, open: false, more });
  }
  return members;
}
