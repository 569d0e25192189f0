// Users as documents, one account whatever the case of its name, with an index of the admins and a mark that the first user was made.
import { userNameProblem } from '@svc/shared/user-name';
import type { Role } from '../../registry/registry.ts';
import { Collection } from '../../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';

/** Id of the identity source, in stored sign-ins. Never changes. */
export const USERS_SOURCE = 'users';

const USERS = new Collection<StoredUser>('auth.users');
const ADMINS = new Collection<Pick<StoredUser, 'username'>>('auth.users.admin');
const STATE = new Collection('auth-state');
const SETUP_DONE = 'setup-done';

export interface StoredUser {
  /** Name in the spelling of its creation. */
  readonly username: string;
  readonly role: Role;
  /** Argon2id in the PHC string format. */
  readonly password_hash: string;
  /** Sign-ins name it: a new one ends them all. */
  readonly password_id: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly password_changed_at: string;
}

const idOf = (username: string): string => username.toLowerCase();

/** Also for text that is not a user name. */
export async function findUser(reader: Pick<StoreReader, 'getDocument'>, username: string): Promise<StoredUser | undefined> {
  if (userNameProblem(username) !== undefined) return undefined;
  return USERS.get(reader, idOf(username));
}

/** Users in the order of their names without case. */
export async function listUsers(reader: StoreReader, after: string, limit: number): Promise<StoredUser[]> {
  return (await USERS.list(reader, idOf(after), limit)).map(({ document }) => document);
}

export async function putUser(tx: StoreTransaction, user: StoredUser): Promise<void> {
  await USERS.put(tx, idOf(user.username), user);
  if (user.role === 'admin') await ADMINS.put(tx, idOf(user.username), { username: user.username });
  else await ADMINS.remove(tx, idOf(user.username));
}

export async function deleteUser(tx: StoreTransaction, { username }: StoredUser): Promise<void> {
  await USERS.remove(tx, idOf(username));
  await ADMINS.remove(tx, idOf(username));
}

/** Names of the first admins. */
export async function listAdmins(reader: StoreReader, limit: number): Promise<string[]> {
  return (await ADMINS.list(reader, '', limit)).map(({ document }) => document.username);
}

/** The mark outlives its users: setup is done once. */
export async function isSetupDone(reader: Pick<StoreReader, 'getDocument'>): Promise<boolean> {
  return (await STATE.get(reader, SETUP_DONE)) !== undefined;
}

export function markSetupDone(tx: StoreTransaction): Promise<void> {
  return STATE.put(tx, SETUP_DONE, { done: true });
}
