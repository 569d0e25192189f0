// Form of a server of the window: its checks, and the profile that it becomes. Pure.
import type { ProfileDraft } from '@svc/shared/desktop-api';

export interface ServerDraft {
  readonly name: string;
  readonly address: string;
  /** Empty: the stored one stays. */
  readonly token: string;
  readonly fingerprint: string;
}

export const EMPTY_SERVER: ServerDraft = { name: '', address: '', token: '', fingerprint: '' };

interface Problem {
  readonly field: keyof ServerDraft;
  readonly message: string;
}

const TOKEN_MAX = 4_000;
const NAME_MAX = 100;

/** Fingerprints are printed with colons and in upper case. */
const plainFingerprint = (text: string): string => text.replace(/[:\s]/g, '').toLowerCase();

export function draftProblem({ name, address, token, fingerprint }: ServerDraft): Problem | undefined {
  if (name.trim() === '' || name.length > NAME_MAX) return { field: 'name', message: `Enter a name of at most ${NAME_MAX} characters.` };
  const addressProblem = problemOfAddress(address.trim());
  if (addressProblem !== undefined) return { field: 'address', message: addressProblem };
  if (/[^\x21-\x7e]/.test(token.trim()) || token.length > TOKEN_MAX)
    return { field: 'token', message: 'A token has no spaces and no other special characters.' };
  if (fingerprint !== '' && !/^[0-9a-f]{64}$/.test(plainFingerprint(fingerprint)))
    return { field: 'fingerprint', message: 'A SHA-256 fingerprint has 64 hexadecimal digits.' };
  return undefined;
}

function problemOfAddress(address: string): string | undefined {
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address)) return 'Enter an address that begins with https:// or http://.';
  const { username, password, search, hash } = new URL(address);
  if (username !== '' || password !== '') return 'An address must not contain a password: the token has its own field.';
  return search === '' && hash === '' ? undefined : 'An address has no ? and no #.';
}

/** Profile of a draft without problems. A new one gets an id from its name that none of `taken` has. */
export function profileOf(
  { name, address, token, fingerprint }: ServerDraft,
  id: string | undefined,
  taken: readonly string[],
): ProfileDraft {
  const { origin, pathname } = URL.canParse(address.trim()) ? new URL(address.trim()) : { origin: address, pathname: '/' };
  return {
    id: id ?? freeId(name, taken),
    name: name.trim(),
    origin: `${origin}${pathname.replace(/\/+$/, '')}`,
    ...(token.trim() !== '' && { token: token.trim() }),
    ...(fingerprint !== '' && { fingerprint: plainFingerprint(fingerprint) }),
  };
}

function freeId(name: string, taken: readonly string[]): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  const base = plain === '' ? 'server' : plain;
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(id)) return id;
  }
}
