// Interface of users with passwords, and the rules of the request bodies about them. Pure.
import { randomBytes } from 'node:crypto';
import { invalidFields, ServiceError, type FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { userNameProblem } from '@svc/shared/user-name';
import type { RequestContext, Role } from '../../registry/registry.ts';

export interface UserRecord {
  readonly username: string;
  readonly role: Role;
  readonly created_at: string;
  readonly password_changed_at: string;
}

export interface UserPage {
  readonly items: readonly UserRecord[];
  /** Cursor of the next page; absent at the end. */
  readonly next?: string;
}

export interface UserService {
  /** Makes the first admin, once per database. Throws `conflict` when it is done, `forbidden` for a wrong setup token. */
  setup(context: RequestContext, body: unknown): Promise<UserRecord>;
  /** The generated password is in the answer this once. */
  create(context: RequestContext, body: unknown): Promise<UserRecord & { readonly password: string }>;
  list(context: RequestContext, query: { readonly after?: string | undefined; readonly limit: number }): Promise<UserPage>;
  /** `conflict` for the last admin. Ends the sign-ins of the user. */
  remove(context: RequestContext, username: string): Promise<UserRecord>;
  /** `conflict` for the last admin. Sign-ins stay and have the new role from their next request on. */
  setRole(context: RequestContext, username: string, body: unknown): Promise<UserRecord>;
  /** Without `new_password` in the body, one is generated and in the answer this once. Ends the sign-ins of the user but `keptId`. */
  resetPassword(context: RequestContext, body: unknown, keptId?: string): Promise<UserRecord & { readonly password?: string }>;
  /** For the user of the sign-in `ownId`, whose other sign-ins end. Throws `unauthorized` for a wrong current password. */
  changePassword(context: RequestContext, ownId: string | undefined, body: unknown): Promise<UserRecord>;
}

const USER_ROLES: readonly Role[] = ['reader', 'approver', 'writer', 'admin'];
const PASSWORD_CHARS_MIN = 12;
/** Bounds the work of one hash; a passphrase has its place. */
const PASSWORD_CHARS_MAX = 1024;
const PASSWORD_BYTES = 18;

/** 144 random bits in 24 characters. */
export function generatePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

function passwordProblem(password: unknown): string | undefined {
  if (typeof password !== 'string') return 'must be a string';
  if (password.length > PASSWORD_CHARS_MAX) return `must be at most ${PASSWORD_CHARS_MAX} characters`;
  if ([...password].length < PASSWORD_CHARS_MIN) return `must be at least ${PASSWORD_CHARS_MIN} characters`;
  return /[\p{Cc}\p{Surrogate}]/u.test(password) ? 'must not hold control characters' : undefined;
}

type Rule = (value: unknown) => string | undefined;

const RULES = {
  username: (value) => (typeof value === 'string' ? userNameProblem(value) : 'must be a string'),
  password: passwordProblem,
  new_password: passwordProblem,
  current_password: (value) => (typeof value === 'string' ? undefined : 'must be a string'),
  role: (value) => (USER_ROLES.some((role) => role === value) ? undefined : `must be one of ${USER_ROLES.join(', ')}`),
} satisfies Record<string, Rule>;

type Field = keyof typeof RULES;
type Fields<F extends Field> = Readonly<Record<F, string>>;

/** The named fields of a body, each by its rule. Messages never quote a value. */
export function readFields<F extends Field>(body: unknown, names: readonly F[]): Fields<F> {
  if (!isObject(body)) throw new ServiceError('invalid', `The body must be a JSON object with ${names.join(' and ')}`);
  const errors: FieldError[] = names.flatMap((path) => {
    const message = RULES[path](body[path]);
    return message === undefined ? [] : [{ path, message }];
  });
  if (errors.length > 0) throw invalidFields('The request', errors);
  return body as unknown as Fields<F>;
}

const refuse = () =>
  Promise.reject(new ServiceError('conflict', 'This server has no users with passwords; start it with --auth-mode native'));

/** Users of a server whose mode is not native. */
export const noUsers: UserService = {
  setup: refuse,
  create: refuse,
  list: refuse,
  remove: refuse,
  setRole: refuse,
  resetPassword: refuse,
  changePassword: refuse,
};
