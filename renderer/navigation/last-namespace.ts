// The namespace this browser used last, and earlier ones. A convenience of the browser, not a preference of the person.
import { keep, readKept } from '../ui/browser-storage.ts';
import { storageName } from '../ui/link/base-path.ts';

const LAST_KEY = storageName('svc.namespaces');
const KEPT_MAX = 8;
const FALLBACK = 'default';

/** Newest first. */
export function recentNamespaces(): readonly string[] {
  const kept = readKept(LAST_KEY);
  return Array.isArray(kept) ? kept.filter((each): each is string => typeof each === 'string').slice(0, KEPT_MAX) : [];
}

export function lastNamespace(): string {
  return recentNamespaces()[0] ?? FALLBACK;
}

export function rememberNamespace(namespace: string): void {
  keep(LAST_KEY, [namespace, ...recentNamespaces().filter((each) => each !== namespace)].slice(0, KEPT_MAX));
}
