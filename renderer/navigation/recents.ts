// Objects opened last in this browser: names only, and deleted at sign-out.
import { keep, readKept } from '../ui/browser-storage.ts';
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
  const kept = readKept(KEY);
  return Array.isArray(kept) ? kept.filter(isRef).slice(0, KEPT_MAX) : [];
}

export function rememberRecent({ kind, namespace, name }: ObjectRef): void {
  const others = recents().filter((each) => each.kind !== kind || each.namespace !== namespace || each.name !== name);
  keep(KEY, [{ kind, namespace, name }, ...others].slice(0, KEPT_MAX));
}

export function forgetRecents(): void {
  keep(KEY, undefined);
  keep(storageName('svc.namespaces'), undefined);
}
