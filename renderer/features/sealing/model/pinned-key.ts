// The sealing key that this browser sealed with last on this server: a different key can mean that somebody else reads the values.
import { storageName } from '../../../ui/link/base-path.ts';

const KEY = storageName('svc.sealingKey');

/** Id of the key, which is its fingerprint; undefined before the first use. */
export function pinnedKey(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export function pinKey(keyId: string): void {
  try {
    localStorage.setItem(KEY, keyId);
  } catch {
    // A browser without storage.
  }
}

/** Problem with a key that is not the pinned one. */
export function changedKeyProblem(keyId: string, pinned: string | undefined): string | undefined {
  if (pinned === undefined || pinned === keyId) return undefined;
  return `The sealing key of this server changed from ${pinned} to ${keyId}. Ask an operator whether it was replaced, and trust it under Seal values.`;
}
