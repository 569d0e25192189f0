// Rows of the shortcut sheet: registered shortcuts, by group, and the keys of every table and tree. Pure.
import { keysOf, type Shortcut } from './registry.ts';

export interface SheetRow {
  readonly id: string;
  readonly label: string;
  readonly keys: string;
  /** Absent for keys that belong to a component and cannot be changed. */
  readonly shortcut?: Shortcut;
}

export interface SheetGroup {
  readonly label: string;
  readonly rows: readonly SheetRow[];
}

const IN_LISTS: SheetGroup = {
  label: 'In lists',
  rows: [
    { id: 'list.next', label: 'Next row', keys: 'j' },
    { id: 'list.previous', label: 'Previous row', keys: 'k' },
    { id: 'list.pageDown', label: 'Next page of rows', keys: 'l' },
    { id: 'list.pageUp', label: 'Previous page of rows', keys: 'h' },
    { id: 'list.open', label: 'Open', keys: 'enter' },
    { id: 'list.peek', label: 'Open in the inspector', keys: 'space' },
    { id: 'list.select', label: 'Select', keys: 'x' },
    { id: 'list.range', label: 'Select up to here', keys: 'shift+x' },
    { id: 'list.first', label: 'First row', keys: 'Home' },
    { id: 'list.last', label: 'Last row', keys: 'End' },
    { id: 'list.close', label: 'Close the inspector', keys: 'escape' },
  ],
};

/** Order of groups, the nearest first: this page, then everywhere, navigation, lists. */
const ORDER = ['This page', 'Everywhere', 'Go to'];

export function sheetGroups(
  shortcuts: readonly Shortcut[],
  own: Readonly<Record<string, string>>,
  { lists = true }: { readonly lists?: boolean } = {},
): SheetGroup[] {
  const labels = [...new Set(shortcuts.map((shortcut) => shortcut.group))];
  const rank = (label: string) => (ORDER.includes(label) ? ORDER.indexOf(label) : 0.5);
  const groups = labels
    .toSorted((a, b) => rank(a) - rank(b))
    .map((label) => ({
      label,
      rows: shortcuts.flatMap((shortcut) => {
        const keys = keysOf(shortcut, own);
        return shortcut.group !== label || (keys === undefined && shortcut.keys === undefined)
          ? []
          : [{ id: shortcut.id, label: shortcut.label, keys: keys ?? '', shortcut }];
      }),
    }))
    .filter((group) => group.rows.length > 0);
  return lists ? [...groups, IN_LISTS] : groups;
}
