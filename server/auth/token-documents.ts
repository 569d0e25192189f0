// Stored tokens: one document each, found by the SHA-256 of the token, which is all that is kept of it; and the mark that one was ever made.
import { isObject } from '@svc/shared/json';
import type { Role } from '../registry/registry.ts';
import { Collection } from '../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import type { TokenRecord } from './auth.ts';

const TOKENS = new Collection('api-tokens');
const NAMES = new Collection<{ readonly digest: string }>('api-token-names');
const STATE = new Collection('auth-state');
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
  const document = await TOKENS.get(reader, id);
  return document === undefined ? undefined : readToken(id, document);
}

/** One read for a token with an entry of its name; tokens of older versions have none, so an unknown name costs a listing. */
export async function findTokenNamed(reader: StoreReader, name: string): Promise<StoredToken | undefined> {
  const entry = await NAMES.get(reader, name);
  if (entry) return findStoredToken(reader, Buffer.from(entry.digest, 'hex'));
  return (await listStoredTokens(reader)).find((each) => each.name === name);
}

/** Every stored token, ordered by name. */
export async function listStoredTokens(reader: StoreReader): Promise<StoredToken[]> {
  const tokens: StoredToken[] = [];
  for await (const { id, document } of TOKENS.all(reader, PAGE)) tokens.push(readToken(id, document));
  return tokens.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Until the transaction ends no other process makes or deletes tokens: rules over all of them hold. */
export async function oneAtATime(tx: StoreTransaction): Promise<void> {
  await STATE.put(tx, WRITING, {});
}

/** Stores a token and writes the mark that keeps auth on permanently. */
export async function insertStoredToken(tx: StoreTransaction, { digest, ...record }: StoredToken): Promise<void> {
  await TOKENS.put(tx, digest, { ...record });
  await NAMES.put(tx, record.name, { digest });
  await STATE.put(tx, EVER_MADE, { made: true });
}

export async function deleteStoredToken(tx: StoreTransaction, { digest, name }: StoredToken): Promise<void> {
  await TOKENS.remove(tx, digest);
  await NAMES.remove(tx, name);
}

/** Whether a token was ever stored here, deleted ones included. */
export async function hasEverCreatedToken(reader: StoreReader): Promise<boolean> {
  return isObject(await STATE.get(reader, EVER_MADE));
}
