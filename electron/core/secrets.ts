// The key of Secret values and the tokens of profiles: sealed by the keychain of the system, or in a private file where the person accepts that.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { FATALS } from '@svc/shared/control';
import type { BackendState } from '@svc/shared/desktop-api';
import { writeAtomically, type SettingsStore } from './settings.ts';

/** Electron's safeStorage. All methods may throw: a keychain can refuse at any time. */
export interface Keychain {
  isAvailable(): boolean;
  /** Linux: `basic_text` encrypts with a well-known password. */
  backend(): string;
  seal(text: string): Buffer;
  open(sealed: Buffer): string;
}

const KEY_BYTES = 32;
const KEY = /^[0-9a-f]{64}$/;
const WEAK_BACKENDS: ReadonlySet<string> = new Set(['basic_text', 'unknown']);

type Problem = NonNullable<BackendState['problem']>;

export type KeyResult =
  | { readonly kind: 'key'; readonly key: string; readonly store: 'keychain' | 'file' }
  | { readonly kind: 'problem'; readonly problem: Problem };

const NO_KEYCHAIN: Problem = {
  code: 'NO_KEYCHAIN',
  message: 'This system has no keychain that keeps a key secret',
  hint: 'Install and unlock one (GNOME Keyring or KWallet), or accept a key file that only your user can read.',
};
const REFUSED: Problem = {
  code: 'KEYCHAIN',
  message: 'The keychain did not open the key of this data directory',
  hint: 'Unlock the keychain and restart the server.',
};
const UNREADABLE: Problem = {
  code: 'SETTINGS',
  message: 'The settings of the app cannot be read',
  hint: 'The key of your Secrets is in this file: correct it or put back a copy of it, then restart.',
};

export interface KeyOptions {
  readonly keychain: Keychain;
  readonly settings: SettingsStore;
  /** Path of the key file. */
  readonly keyFile: string;
}

/** Whether the keychain answers and keeps secrets; false when it throws. */
function isStrong(keychain: Keychain): boolean {
  try {
    return keychain.isAvailable() && !WEAK_BACKENDS.has(keychain.backend());
  } catch {
    return false;
  }
}

/** Opens the key, or makes one in a new installation. A key that exists is never replaced: values sealed with it would be lost. */
export function openKey(options: KeyOptions): KeyResult {
  const { keychain, settings, keyFile } = options;
  const unreadable = settings.unreadable();
  if (unreadable !== undefined) return { kind: 'problem', problem: { ...UNREADABLE, message: `${UNREADABLE.message}: ${unreadable}` } };
  const { sealedKey, plaintextKey } = settings.get();
  if (existsSync(keyFile)) return keyFromFile(keyFile);
  if (sealedKey !== null) return openSealed(keychain, sealedKey);
  if (isStrong(keychain)) return makeSealed(options);
  if (!plaintextKey) return { kind: 'problem', problem: NO_KEYCHAIN };
  const key = randomBytes(KEY_BYTES).toString('hex');
  return stored({ kind: 'key', key, store: 'file' }, () => writeAtomically(keyFile, `${key}\n`));
}

/** The key, once it is written: one that is lost loses the Secrets sealed with it. */
function stored(key: KeyResult, write: () => void): KeyResult {
  try {
    write();
    return key;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'DISK_FULL' : 'UNWRITABLE';
    const message = 'The settings of the app cannot be written';
    return {
      kind: 'problem',
      problem: { code, message, hint: 'Free some space on the disk of your user data, and check that your user may write there.' },
    };
  }
}

function keyFromFile(keyFile: string): KeyResult {
  const problem = (message: string): KeyResult => ({
    kind: 'problem',
    problem: { code: 'KEYCHAIN', message, hint: FATALS.OTHER_KEY.hint },
  });
  let key: string;
  try {
    key = readFileSync(keyFile, 'utf8').trim();
  } catch (error) {
    return problem(`The key file ${keyFile} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  return KEY.test(key)
    ? { kind: 'key', key, store: 'file' }
    : problem(`The key file ${keyFile} does not hold a key of 64 hexadecimal characters`);
}

function openSealed(keychain: Keychain, sealed: string): KeyResult {
  try {
    const key = keychain.open(Buffer.from(sealed, 'base64'));
    if (KEY.test(key)) return { kind: 'key', key, store: 'keychain' };
  } catch {
    // The keychain is locked, was reset, or belongs to another user: the key is not in the error.
  }
  return { kind: 'problem', problem: REFUSED };
}

function makeSealed({ keychain, settings }: KeyOptions): KeyResult {
  const key = randomBytes(KEY_BYTES).toString('hex');
  const sealed = sealToken(keychain, key);
  if (sealed === undefined) return { kind: 'problem', problem: REFUSED };
  return stored({ kind: 'key', key, store: 'keychain' }, () => settings.update({ sealedKey: sealed }));
}

/** Ciphertext of a token; undefined where nothing keeps it secret. */
export function sealToken(keychain: Keychain, token: string): string | undefined {
  if (!isStrong(keychain)) return undefined;
  try {
    return keychain.seal(token).toString('base64');
  } catch {
    return undefined;
  }
}

/** Undefined when the keychain does not open it. */
export function openToken(keychain: Keychain, sealed: string): string | undefined {
  try {
    return keychain.open(Buffer.from(sealed, 'base64'));
  } catch {
    return undefined;
  }
}
