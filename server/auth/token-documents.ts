// Stored tokens: one document each, found by the SHA-256 of the token, which is all that is kept of it; and the mark that one was ever made.
import { isObject } from '@svc/shared/json';
import type { Role } from '../registry/registry.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import type { TokenRecord } from './auth.ts';

const TOKENS = 'api-tokens';
const STATE = 'auth-state';
const EVER_MADE = 'token-ever-made';
const WRITING = 'writing';
const PAGE = 500;

export interface StoredToken extends TokenRecord {
  /** Hex SHA-256 of the token; the document's id. */
  readonly digest: string;
}

function readToken(digest: string, document: Readonly<Record<string, unknown>>): StoredToken {
  const { name, role, created_at: createdAt, a2a_agent_systems: systems } = document;
  return {
    digest,
    name: String(name),
    role: role as Role,
    created_at: String(createdAt),
    ...(Array.isArray(systems) && { a2a_agent_systems: systems.map(String) }),
  };
}

export async function findStoredToken(reader: StoreReader, digest: Buffer): Promise<StoredToken | undefined> {
  const id = digest.toString('hex');
  const document = await reader.getDocument(TOKENS, id);
  return document === undefined ? undefined : readToken(id, document);
}

/** Every stored token, ordered by name. */
export async function listStoredTokens(reader: StoreReader): Promise<StoredToken[]> {
  const tokens: StoredToken[] = [];
  for (let after = ''; ;) {
    const page = await reader.listDocuments(TOKENS, after, PAGE);
    tokens.push(...page.map(({ id, document }) => readToken(id, document)));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.id;
  }
  return tokens.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Until the transaction ends no other process makes or deletes tokens: rules over all of them hold. */
export async function oneAtATime(tx: StoreTransaction): Promise<void> {
  await tx.putDocument(STATE, WRITING, {});
}

/** Stores a token and writes the mark that keeps auth on permanently. */
export async function insertStoredToken(tx: StoreTransaction, { digest, ...record }: StoredToken): Promise<void> {
  await tx.putDocument(TOKENS, digest, { ...record });
  await tx.putDocument(STATE, EVER_MADE, { made: true });
}

export async function deleteStoredToken(tx: StoreTransaction, digest: string): Promise<void> {
  await tx.deleteDocument(TOKENS, digest);
}

/** Whether a token was ever stored here, deleted ones included. */
export async function tokenWasEverMade(reader: StoreReader): Promise<boolean> {
  return isObject(await reader.getDocument(STATE, EVER_MADE));
}
