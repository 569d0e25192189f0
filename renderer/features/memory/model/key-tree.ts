// Keys of a Memory as rows of a tree: keys that share a beginning up to "/" or ":" are in one folder. Pure.

export interface FolderRow {
  readonly type: 'folder';
  /** Beginning that all its keys share, with the separator. */
  readonly prefix: string;
  readonly label: string;
  readonly depth: number;
  /** Number of keys in it, at any depth. */
  readonly count: number;
  readonly open: boolean;
}

interface EntryRow {
  readonly type: 'entry';
  readonly key: string;
  readonly label: string;
  readonly depth: number;
}

export type KeyRow = FolderRow | EntryRow;

export interface TreeState {
  /** Folders that a person has opened or closed, by prefix. */
  readonly toggled: ReadonlyMap<string, boolean>;
  /** Whether the other folders are open. */
  readonly open: boolean;
  /** Beginning of all keys, left out of the labels. */
  readonly base?: string;
}

const SEPARATORS = /[/:]/;

/** Key or prefix that identifies a row. */
export const rowId = (row: KeyRow): string => (row.type === 'folder' ? `${row.prefix}…` : row.key);

export function keyRows(keys: readonly string[], state: TreeState): readonly KeyRow[] {
  const sorted = [...keys].sort((a, b) => (a < b ? -1 : Number(a > b)));
  return level(sorted, { from: state.base?.length ?? 0, depth: 0 }, state);
}

interface Level {
  /** Length of the prefix of all its keys. */
  readonly from: number;
  readonly depth: number;
}

function level(keys: readonly string[], { from, depth }: Level, state: TreeState): KeyRow[] {
  const groups = new Map<string, string[]>();
  for (const key of keys) {
    const part = firstPart(key.slice(from));
    const group = groups.get(part);
    if (group) group.push(key);
    else groups.set(part, [key]);
  }
  return [...groups].flatMap(([part, group]) => {
    const [only] = group;
    // A folder of one key would only add a step.
    if (group.length === 1 && only !== undefined) return [{ type: 'entry', key: only, label: only.slice(from), depth } as const];
    const prefix = group[0]?.slice(0, from) + part;
    const open = state.toggled.get(prefix) ?? state.open;
    const folder: FolderRow = { type: 'folder', prefix, label: part, depth, count: group.length, open };
    return open ? [folder, ...level(group, { from: from + part.length, depth: depth + 1 }, state)] : [folder];
  });
}

/** Up to the first separator and with it; all of a text without one. */
function firstPart(text: string): string {
  const at = text.search(SEPARATORS);
  return at === -1 ? text : text.slice(0, at + 1);
}
