// Open terminals of this browser tab and whether the dock shows them. A reload keeps them; another tab of the browser has its own.
import { keep, readKept } from '../../../ui/browser-storage.ts';
import { Store, useStore } from '../../../ui/store.ts';

export interface DockTab {
  readonly key: string;
  /** Id at the server; undefined until it has opened. */
  readonly id?: string | undefined;
  readonly number: number;
  readonly namespace: string;
  /** Typed at the first prompt and left for the person to send. */
  readonly command?: string | undefined;
}

export interface DockState {
  readonly open: boolean;
  readonly active: string | undefined;
  readonly tabs: readonly DockTab[];
}

/** Shows and hides the dock, and so leaves a terminal by the keyboard. */
export const DOCK_KEYS = 'mod+`';
const STORAGE_KEY = 'svc.terminals';
const EMPTY: DockState = { open: false, active: undefined, tabs: [] };

function stored(): DockState {
  const read = readKept(STORAGE_KEY, 'sessionStorage') as DockState | null | undefined;
  return Array.isArray(read?.tabs) ? read : EMPTY;
}

const dock = new Store(stored());

function change(next: DockState): void {
  // A command is typed once, not again after a reload.
  const tabs = next.tabs.map((tab) => ({ ...tab, command: undefined }));
  keep(STORAGE_KEY, { ...next, tabs }, 'sessionStorage');
  dock.set(next);
}

export interface NewTerminal {
  readonly namespace: string;
  readonly command?: string;
}

/** Opens the dock with one more terminal. */
export function openTerminal({ namespace, command }: NewTerminal): void {
  const state = dock.get();
  const number = Math.max(0, ...state.tabs.map((tab) => tab.number)) + 1;
  const tab: DockTab = { key: `terminal-${Date.now()}-${number}`, number, namespace, command };
  change({ open: true, active: tab.key, tabs: [...state.tabs, tab] });
}

/** Shows or hides the dock; the first time it opens a terminal. */
export function toggleDock(namespace: string): void {
  const state = dock.get();
  if (!state.open && state.tabs.length === 0) openTerminal({ namespace });
  else change({ ...state, open: !state.open });
}

export function selectTab(key: string): void {
  change({ ...dock.get(), active: key });
}

/** Undefined once the terminal has ended: nothing is left to close, and a reload opens a new one. */
export function rememberId(key: string, id: string | undefined): void {
  const state = dock.get();
  change({ ...state, tabs: state.tabs.map((tab) => (tab.key === key ? { ...tab, id } : tab)) });
}

/** Removes a tab. Its neighbour becomes active; without one the dock closes. */
export function removeTab(key: string): void {
  const state = dock.get();
  const at = state.tabs.findIndex((tab) => tab.key === key);
  const tabs = state.tabs.filter((tab) => tab.key !== key);
  const next = tabs[Math.min(at, tabs.length - 1)]?.key;
  change({ open: state.open && tabs.length > 0, active: state.active === key ? next : state.active, tabs });
}

export function useDock(): DockState {
  return useStore(dock);
}
