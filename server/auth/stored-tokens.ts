// Identity source of API tokens that admins make and revoke while the server runs. The store keeps their digests only.
import { type FieldError, invalidFields, isUnavailable, ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { nameProblem } from '@svc/shared/resource';
import { timestamp, type Clock } from '../clock.ts';
import { requireRole } from '../registry/authorise.ts';
import type { Identity, RequestContext, Role } from '../registry/registry.ts';
import type { Store, StoreReader, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { AuthConfig, TokenRecord } from './auth.ts';
import type { Credential, IdentitySource, RecognisedCaller } from './identity-source.ts';
import {
  deleteStoredToken,
  findStoredToken,
  findTokenNamed,
  insertStoredToken,
  listStoredTokens,
  oneAtATime,
  hasEverCreatedToken,
  type StoredToken,
} from './token-documents.ts';
import { appendTokenFact, TOKEN_FACT_KIND } from './token-facts.ts';
import { digestOf, generateToken, isRole, isSystemRef, refuseReserved, ROLES } from './tokens.ts';

interface TokenRequest {
  readonly name: string;
  readonly role: Role;
  readonly a2a_agent_systems?: readonly string[];
}

function systemErrors(role: unknown, systems: unknown): FieldError[] {
  const path = 'a2a_agent_systems';
  if (role !== 'a2a') return systems === undefined ? [] : [{ path, message: 'is only for role a2a' }];
  if (!Array.isArray(systems) || systems.length === 0)
    return [{ path, message: 'must list the systems that a token of role a2a may invoke' }];
  return systems.flatMap((system: unknown, index) =>
    typeof system === 'string' && isSystemRef(system) ? [] : [{ path: `${path}[${index}]`, message: 'must be name or namespace/name' }],
  );
}

function readTokenRequest(body: unknown): TokenRequest {
  if (!isObject(body)) throw new ServiceError('invalid', 'The body must be an object with name and role');
  const { name, role, a2a_agent_systems: systems } = body;
  const errors: FieldError[] = systemErrors(role, systems);
  const nameIssue = typeof name === 'string' ? nameProblem(name) : 'must be a string';
  if (nameIssue !== undefined) errors.unshift({ path: 'name', message: nameIssue });
  if (!isRole(role)) errors.push({ path: 'role', message: `must be one of ${ROLES.join(', ')}` });
  if (errors.length > 0) throw invalidFields('The token', errors);
  return { name: name as string, role: role as Role, ...(role === 'a2a' && { a2a_agent_systems: systems as string[] }) };
}

function identityOf({ name, role, a2a_agent_systems: systems }: StoredToken): Identity {
  return { method: 'bearer', name, role, ...(systems && { a2aAgentSystems: systems }) };
}

export interface StoredTokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Other identity sources, for rules over all sources. */
  readonly others: () => readonly IdentitySource[];
  /** Removes what is stored for a deleted token. */
  readonly onDeleted: (tx: StoreTransaction, name: string) => Promise<void>;
}

export class StoredTokens implements IdentitySource {
  readonly id = 'stored';
  readonly revokedBy = [TOKEN_FACT_KIND];
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #others: StoredTokensOptions['others'];
  readonly #onDeleted: StoredTokensOptions['onDeleted'];
  #everMade = false;

  constructor({ store, clock, others, onDeleted }: StoredTokensOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#others = others;
    this.#onDeleted = onDeleted;
  }

  isOn(): boolean {
    return this.#everMade;
  }

  async refresh(): Promise<void> {
    if (await hasEverCreatedToken(this.#store)) this.#everMade = true;
  }

  async authenticate(credential: Credential): Promise<RecognisedCaller | undefined> {
    if (credential.type !== 'bearer') return undefined;
    const stored = await findStoredToken(this.#store, digestOf(credential.token));
    // The digest is the id of the token in the store anyway.
    return stored && { identity: identityOf(stored), linkFor: () => stored.digest };
  }

  async resolve(digest: string): Promise<Identity | undefined> {
    const stored = await findStoredToken(this.#store, Buffer.from(digest, 'hex'));
    return stored && identityOf(stored);
  }

  config(): Promise<Partial<AuthConfig>> {
    return Promise.resolve(this.#everMade ? { login_methods: ['bearer'] } : {});
  }

  async principals(reader: StoreReader): Promise<readonly Identity[]> {
    return (await listStoredTokens(reader)).map(identityOf);
  }

  async principal(reader: StoreReader, name: string): Promise<Identity | undefined> {
    const stored = await findTokenNamed(reader, name);
    return stored && identityOf(stored);
  }

  async create(context: RequestContext, body: unknown): Promise<TokenRecord & { token: string }> {
    requireRole(context, 'admin', 'creating tokens');
    const request = readTokenRequest(body);
    refuseReserved(request.name);
    const token = generateToken();
    const record: TokenRecord = { ...request, created_at: timestamp(this.#clock.now()) };
    await this.#insert(record, digestOf(token));
    this.#everMade = true;
    return { ...record, token };
  }

  async list(context: RequestContext): Promise<TokenRecord[]> {
    requireRole(context, 'admin', 'listing tokens');
    return (await listStoredTokens(this.#store)).map(({ digest: _digest, ...record }) => record);
  }

  async remove(context: RequestContext, name: string): Promise<TokenRecord> {
    requireRole(context, 'admin', 'deleting tokens');
    return transactAgain(this.#store, async (tx) => {
      await oneAtATime(tx);
      const tokens = await listStoredTokens(tx);
      const token = tokens.find((each) => each.name === name);
      if (token === undefined) throw new ServiceError('not_found', `There is no stored token "${name}"`);
      const rest = [...tokens.filter((each) => each !== token), ...(await this.#otherPrincipals(tx))];
      if (token.role === 'admin' && !hasAdmin(rest)) {
        throw new ServiceError('conflict', `Token "${name}" is the last way in as admin; create another admin token before you delete it`);
      }
      await deleteStoredToken(tx, token);
      await this.#onDeleted(tx, name);
      await appendTokenFact(tx, { name, action: 'revoked', timestamp: timestamp(this.#clock.now()) });
      const { digest: _digest, ...record } = token;
      return record;
    });
  }

  /** A token that was stored although the answer of the store was lost counts as made: no other request could return its text. */
  async #insert(record: TokenRecord, digest: Buffer): Promise<void> {
    const made = transactAgain(this.#store, async (tx) => {
      await oneAtATime(tx);
      const others = [...(await listStoredTokens(tx)), ...(await this.#otherPrincipals(tx))];
      if (others.some(({ name }) => name.toLowerCase() === record.name.toLowerCase()))
        throw new ServiceError('conflict', `A token or a user named "${record.name}" exists already`);
      if (record.role !== 'admin' && !hasAdmin(others)) {
        throw new ServiceError(
          'conflict',
          'The first token turns authentication on, so it must have role admin; create an admin token first',
        );
      }
      await insertStoredToken(tx, { ...record, digest: digest.toString('hex') });
      // Open connections of callers without a token are checked again.
      if (!hasAdmin(others)) await appendTokenFact(tx, { name: record.name, action: 'created', timestamp: record.created_at });
    });
    await made.catch(async (error: unknown) => {
      const unsure = isUnavailable(error);
      if (!unsure || !(await findStoredToken(this.#store, digest).catch(() => undefined))) throw error;
    });
  }

  async #otherPrincipals(reader: StoreReader): Promise<Identity[]> {
    const all: Identity[] = [];
    for (const source of this.#others()) if (source !== this) all.push(...((await source.principals?.(reader)) ?? []));
    return all;
  }
}

const hasAdmin = (principals: readonly { readonly role: Role }[]): boolean => principals.some(({ role }) => role === 'admin');
