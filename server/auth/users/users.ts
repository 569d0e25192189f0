// Identity source of users with passwords, and the changes that admins and the users themselves make to them.
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { timestamp, type Clock } from '../../clock.ts';
import { requireRole } from '../../registry/authorise.ts';
import type { Identity, RequestContext, Role } from '../../registry/registry.ts';
import type { Store, StoreReader, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { AuthConfig } from '../auth.ts';
import type { Credential, IdentitySource, RecognisedCaller } from '../identity-source.ts';
import { findSignIn, relinkSignIn, removeSignInsOf } from '../sign-in-documents.ts';
import { oneAtATime } from '../token-documents.ts';
import { digestOf, refuseReserved } from '../tokens.ts';
import type { PasswordHasher } from './password-hasher.ts';
import {
  deleteUser,
  findUser,
  isSetupDone,
  listAdmins,
  listUsers,
  markSetupDone,
  putUser,
  USERS_SOURCE,
  type StoredUser,
} from './user-documents.ts';
import { appendUserFact, USER_FACT_KIND } from './user-facts.ts';
import { generatePassword, readFields, type UserPage, type UserRecord, type UserService } from './user-service.ts';

export interface UsersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly setupToken?: string | undefined;
  /** Removes what is stored for a deleted user. */
  readonly onDeleted: (tx: StoreTransaction, name: string) => Promise<void>;
  /** All sources, for the rule that a name belongs to one identity. */
  readonly others: () => readonly IdentitySource[];
}

const PAGE = 500;
const setupDone = () => new ServiceError('conflict', 'Setup is done: this server has its first admin; sign in, or ask an admin for a user');

function recordOf({ username, role, created_at, password_changed_at }: StoredUser): UserRecord {
  return { username, role, created_at, password_changed_at };
}

const identityOf = ({ username, role }: StoredUser): Identity => ({ method: 'session', name: username, role });
/** Names the user and the password that a sign-in was made with. */
const linkOf = ({ username, password_id }: StoredUser): string => `${password_id}/${username}`;

export class Users implements IdentitySource, UserService {
  readonly id = USERS_SOURCE;
  readonly revokedBy = [USER_FACT_KIND];
  readonly #options: UsersOptions;
  #setupDone = false;

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  isOn(): boolean {
    return true;
  }

  async authenticate(credential: Credential): Promise<RecognisedCaller | undefined> {
    if (credential.type !== 'password') return undefined;
    const user = await findUser(this.#options.store, credential.username);
    const isRight = await this.#options.hasher.verify(user?.password_hash, credential.password);
    return user && isRight ? { identity: identityOf(user), linkFor: () => linkOf(user) } : undefined;
  }

  async resolve(link: string): Promise<Identity | undefined> {
    const user = await this.#linked(this.#options.store, link);
    return user && identityOf(user);
  }

  async config(): Promise<Partial<AuthConfig>> {
    return {
      mode: 'native',
      setup_required: !(await this.#isSetupDone()),
      login_methods: ['password'],
      setup_token_required: this.#options.setupToken !== undefined,
    };
  }

  async principals(reader: StoreReader): Promise<readonly Identity[]> {
    const all: Identity[] = [];
    for (let after = ''; ;) {
      const page = await listUsers(reader, after, PAGE);
      all.push(...page.map(identityOf));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return all;
      after = last.username;
    }
  }

  async principal(reader: StoreReader, name: string): Promise<Identity | undefined> {
    const user = await findUser(reader, name);
    return user?.username === name ? identityOf(user) : undefined;
  }

  async setup(_context: RequestContext, body: unknown): Promise<UserRecord> {
    if (await this.#isSetupDone()) throw setupDone();
    this.#checkSetupToken(isObject(body) ? body['setup_token'] : undefined);
    const { username, password } = readFields(body, ['username', 'password']);
    const user = await this.#newUser(username, 'admin', password);
    return this.#change(async (tx) => {
      if (await isSetupDone(tx)) throw setupDone();
      await this.#insert(tx, user);
      return recordOf(user);
    });
  }

  async create(context: RequestContext, body: unknown): Promise<UserRecord & { password: string }> {
    requireRole(context, 'admin', 'creating users');
    const { username, role } = readFields(body, ['username', 'role']);
    const password = generatePassword();
    const user = await this.#newUser(username, role as Role, password);
    await this.#change((tx) => this.#insert(tx, user));
    return { ...recordOf(user), password };
  }

  async list(context: RequestContext, { after = '', limit }: { after?: string | undefined; limit: number }): Promise<UserPage> {
    requireRole(context, 'admin', 'listing users');
    const page = await listUsers(this.#options.store, after, limit);
    const last = page.at(-1);
    return { items: page.map(recordOf), ...(page.length === limit && last && { next: last.username }) };
  }

  remove(context: RequestContext, username: string): Promise<UserRecord> {
    return this.#change(async (tx) => {
      requireRole(context, 'admin', 'deleting users');
      const user = await requireUser(tx, username);
      await requireOtherAdmin(tx, user, 'delete it');
      await deleteUser(tx, user);
      await removeSignInsOf(tx, user.username);
      await this.#options.onDeleted(tx, user.username);
      await this.#append(tx, user, 'deleted');
      return recordOf(user);
    });
  }

  setRole(context: RequestContext, username: string, body: unknown): Promise<UserRecord> {
    return this.#change(async (tx) => {
      requireRole(context, 'admin', 'changing the role of users');
      const role = readFields(body, ['role']).role as Role;
      const user = await requireUser(tx, username);
      if (role === user.role) return recordOf(user);
      await requireOtherAdmin(tx, user, 'change its role');
      const changed = { ...user, role };
      await putUser(tx, changed);
      await this.#append(tx, changed, 'role_changed');
      return recordOf(changed);
    });
  }

  async resetPassword(context: RequestContext, body: unknown, keptId?: string): Promise<UserRecord & { password?: string }> {
    requireRole(context, 'admin', 'resetting passwords');
    const given = isObject(body) && body['new_password'] !== undefined;
    const { username } = readFields(body, ['username']);
    const password = given ? readFields(body, ['new_password']).new_password : generatePassword();
    await requireUser(this.#options.store, username);
    const fresh = await this.#freshPassword(password);
    const record = await this.#change(async (tx) => this.#replacePassword(tx, await requireUser(tx, username), { fresh, keptId }));
    return given ? record : { ...record, password };
  }

  async changePassword(_context: RequestContext, ownId: string | undefined, body: unknown): Promise<UserRecord> {
    const user = ownId === undefined ? undefined : await this.#signedIn(this.#options.store, ownId);
    if (user === undefined)
      throw new ServiceError('conflict', 'A password is changed by its user, signed in with it; other identities have none');
    const { current_password: current, new_password: password } = readFields(body, ['current_password', 'new_password']);
    if (!(await this.#options.hasher.verify(user.password_hash, current)))
      throw new ServiceError('unauthorized', 'The current password is not correct');
    const fresh = await this.#freshPassword(password);
    return this.#change(async (tx) => {
      const now = await findUser(tx, user.username);
      if (now?.password_id !== user.password_id) throw new ServiceError('conflict', 'The password was changed meanwhile; sign in again');
      return this.#replacePassword(tx, now, { fresh, keptId: ownId });
    });
  }

  /** Writes about users and tokens one after the other, over all servers: rules over all of them hold. */
  #change<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return transactAgain(this.#options.store, async (tx) => {
      await oneAtATime(tx);
      return work(tx);
    });
  }

  async #newUser(username: string, role: Role, password: string): Promise<StoredUser> {
    refuseReserved(username);
    const fresh = await this.#freshPassword(password);
    return { username, role, created_at: fresh.password_changed_at, ...fresh };
  }

  async #freshPassword(password: string): Promise<Pick<StoredUser, 'password_hash' | 'password_id' | 'password_changed_at'>> {
    const password_hash = await this.#options.hasher.hash(password);
    return { password_hash, password_id: randomUUID(), password_changed_at: timestamp(this.#options.clock.now()) };
  }

  async #insert(tx: StoreTransaction, user: StoredUser): Promise<void> {
    const name = user.username.toLowerCase();
    const isTaken = async (source: IdentitySource) =>
      ((await source.principals?.(tx)) ?? []).some((each) => each.name.toLowerCase() === name);
    const taken = new ServiceError('conflict', `A user or a token named "${user.username}" exists already; names count without case`);
    if (await findUser(tx, user.username)) throw taken;
    for (const source of this.#options.others()) if (source !== this && (await isTaken(source))) throw taken;
    await putUser(tx, user);
    await markSetupDone(tx);
    await this.#append(tx, user, 'created');
  }

  /** Ends all sign-ins of the user but one, in the same transaction. */
  async #replacePassword(
    tx: StoreTransaction,
    user: StoredUser,
    { fresh, keptId }: { readonly fresh: Partial<StoredUser>; readonly keptId: string | undefined },
  ): Promise<UserRecord> {
    const changed = { ...user, ...fresh };
    const isOwn = keptId !== undefined && (await this.#signedIn(tx, keptId))?.password_id === user.password_id;
    await putUser(tx, changed);
    if (isOwn) await relinkSignIn(tx, keptId, { [USERS_SOURCE]: linkOf(changed) });
    await removeSignInsOf(tx, user.username, isOwn ? keptId : undefined);
    await this.#append(tx, user, 'password_changed');
    return recordOf(changed);
  }

  /** User of a valid sign-in. */
  async #signedIn(reader: StoreReader, signInId: string): Promise<StoredUser | undefined> {
    const link = (await findSignIn(reader, signInId))?.source[USERS_SOURCE];
    return link === undefined ? undefined : this.#linked(reader, link);
  }

  async #linked(reader: Pick<StoreReader, 'getDocument'>, link: string): Promise<StoredUser | undefined> {
    const user = await findUser(reader, link.slice(link.indexOf('/') + 1));
    return user && linkOf(user) === link ? user : undefined;
  }

  async #isSetupDone(): Promise<boolean> {
    return (this.#setupDone ||= await isSetupDone(this.#options.store));
  }

  #checkSetupToken(given: unknown): void {
    const { setupToken } = this.#options;
    if (setupToken === undefined) return;
    if (typeof given !== 'string') throw new ServiceError('forbidden', 'Setup needs the setup token of this server, as "setup_token"');
    if (!timingSafeEqual(digestOf(given), digestOf(setupToken))) throw new ServiceError('forbidden', 'The setup token is not correct');
  }

  #append(tx: StoreTransaction, { username: name }: StoredUser, action: Parameters<typeof appendUserFact>[1]['action']): Promise<void> {
    return appendUserFact(tx, { name, action, timestamp: timestamp(this.#options.clock.now()) });
  }
}

async function requireUser(reader: StoreReader, username: string): Promise<StoredUser> {
  const user = await findUser(reader, username);
  if (user !== undefined) return user;
  throw new ServiceError('not_found', `There is no user "${username}"`);
}

/** Admins among the users, whatever tokens there are: people must not depend on them. */
async function requireOtherAdmin(tx: StoreTransaction, user: StoredUser, aim: string): Promise<void> {
  if (user.role !== 'admin' || (await listAdmins(tx, 2)).length > 1) return;
  throw new ServiceError('conflict', `User "${user.username}" is the last admin; make another user admin before you ${aim}`);
}
