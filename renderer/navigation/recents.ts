// Objects opened last in this browser: names only, and deleted at sign-out.
import { storageName } from '../ui/link/base-path.ts';
import type { ObjectRef } from './addresses.ts';

const KEY = storageName('svc.recents');
const KEPT_MAX = 12;

const isRef = (value: unknown): value is ObjectRef => {
  const { kind, namespace, name } = (value ?? {}) as Partial<Record<keyof ObjectRef, unknown>>;
  return typeof kind === 'string' && typeof namespace === 'string' && typeof name === 'string';
};

/** Newest first. */
export function recents(): readonly ObjectRef[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isRef).slice(0, KEPT_MAX) : [];
  } catch {
    return [];
  }
}

export function rememberRecent({ kind, namespace, name }: ObjectRef): void {
  const others = recents().filter((each) => each.kind !== kind || each.namespace !== namespace || each.name !== name);
  try {
    localStorage.setItem(KEY, JSON.stringify([{ kind, namespace, name }, ...others].slice(0, KEPT_MAX)));
  } catch {
    // A browser without storage.
  }
}

export function forgetRecents(): void {
  try {
    localStorage.removeItem(KEY);
    localStorage.removeItem(storageName('svc.namespaces'));
  } catch {
    // A browser without storage has nothing to delete.
  }
}
