// Sessions of browsers as documents: found by the SHA-256 of what the browser holds, which is all that is kept of it; and the order in which they end.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Store, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { EnvToken } from './tokens.ts';

const SESSIONS = 'auth.session';
/** By the moment at which a session may go, so that sweeping reads only what is due. */
const EXPIRY = 'auth.session.expiry';
const SESSION_BYTES = 32;
const SWEEP_PAGE = 200;
const TIME_DIGITS = 15;
/** A renewal that comes at the moment of a sign-out can put the session back, once in an hour. */
const END_ROUNDS_MAX = 5;

/** How long a session lives without a request. */
export const SESSION_MS = 24 * 60 * 60_000;
/** A session is renewed when this much of its time has passed: one write an hour, however many requests. */
export const RENEW_AFTER_MS = 60 * 60_000;

type Documents = Pick<Store, 'transaction' | 'getDocument' | 'listDocuments'>;

/** Which token a session came from. A stored one by its digest, which is its id in the store anyway. */
export type SessionSource =
  | { readonly stored: string }
  /** Proof of a token of the operator's. Its digest must not be stored: the operator chose it, so it might be guessed from it. */
  | { readonly env: string };

export interface StoredSession {
  readonly source: SessionSource;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

export function generateSession(): string {
  return randomBytes(SESSION_BYTES).toString('base64url');
}

/** Whether a text can be what `generateSession` made. */
export function isSession(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

const idOf = (session: string): string => createHash('sha256').update(session, 'utf8').digest('hex');

/** Only who holds the session can tell which token it belongs to. */
export function envProof(session: string, token: EnvToken): string {
  return createHmac('sha256', session).update(token.digest).digest('hex');
}

/** The operator's token that a session came from. Looks at all of them, in constant time each. */
export function findProven(tokens: readonly EnvToken[], session: string, proof: string): EnvToken | undefined {
  const expected = Buffer.from(proof, 'hex');
  let found: EnvToken | undefined;
  for (const token of tokens) {
    const own = Buffer.from(envProof(session, token), 'hex');
    if (own.length === expected.length && timingSafeEqual(own, expected)) found = token;
  }
  return found;
}

export async function findSession(store: Pick<Store, 'getDocument'>, session: string): Promise<StoredSession | undefined> {
  return (await store.getDocument(SESSIONS, idOf(session))) as StoredSession | undefined;
}

export function insertSession(store: Documents, session: string, stored: StoredSession): Promise<void> {
  return transactAgain(store, (tx) => put(tx, idOf(session), stored));
}

/** Gives a session its new end; false when it is over by now, or when another request came first. */
export function extendSession(store: Documents, session: string, { was, expiresAt }: { was: StoredSession; expiresAt: number }) {
  const id = idOf(session);
  return transactAgain(store, async (tx) => {
    // The row goes to one transaction only, on both databases: a session that was ended meanwhile is not put back.
    if (!(await tx.deleteDocument(SESSIONS, id))) return false;
    await tx.deleteDocument(EXPIRY, expiryId(was.expires_at, id));
    await put(tx, id, { ...was, expires_at: expiresAt });
    return true;
  });
}

/** True when there was one to end; `note` writes in the same transaction. */
export async function endSession(store: Documents, session: string, note: (tx: StoreTransaction) => Promise<void>): Promise<boolean> {
  const id = idOf(session);
  let ended = false;
  for (let round = 0; round < END_ROUNDS_MAX; round += 1) {
    const deleted = await transactAgain(store, async (tx) => {
      if (!(await tx.deleteDocument(SESSIONS, id))) return false;
      await note(tx);
      return true;
    });
    if (deleted) ended = true;
    if ((await store.getDocument(SESSIONS, id)) === undefined) break;
  }
  return ended;
}

/** Removes sessions whose time is up; returns how many entries it has looked at. */
export async function sweepSessions(store: Documents, now: number): Promise<number> {
  let swept = 0;
  for (;;) {
    const page = await store.listDocuments(EXPIRY, '', SWEEP_PAGE);
    const due = page.map(({ id }) => id).filter((id) => Number(id.slice(0, TIME_DIGITS)) <= now);
    if (due.length > 0) await transactAgain(store, (tx) => removeDue(tx, due, now));
    swept += due.length;
    if (due.length < SWEEP_PAGE) return swept;
  }
}

async function removeDue(tx: StoreTransaction, due: readonly string[], now: number): Promise<void> {
  for (const id of due) {
    const session = id.slice(TIME_DIGITS + 1);
    const stored = (await tx.getDocument(SESSIONS, session)) as StoredSession | undefined;
    // A renewal has its own entry.
    if (stored && stored.expires_at <= now) await tx.deleteDocument(SESSIONS, session);
    await tx.deleteDocument(EXPIRY, id);
  }
}

async function put(tx: StoreTransaction, id: string, stored: StoredSession): Promise<void> {
  await tx.putDocument(SESSIONS, id, { ...stored });
  await tx.putDocument(EXPIRY, expiryId(stored.expires_at, id), {});
}

function expiryId(expiresAt: number, id: string): string {
  return `${String(Math.ceil(expiresAt)).padStart(TIME_DIGITS, '0')}/${id}`;
}
