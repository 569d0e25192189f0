// Bearer tokens as values: the operator's list from the environment, names, hashes, comparison. Pure but for the random source. No message contains a token.
import { ServiceError } from '@svc/shared/errors';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { nameProblem } from '@svc/shared/resource';
import type { Identity, Role } from '../registry/registry.ts';

export const ROLES: readonly Role[] = ['reader', 'approver', 'writer', 'admin', 'a2a'];

const TOKEN_BYTES = 32;
/** Fewer characters can be guessed, or were written as an example. */
const TOKEN_CHARS_MIN = 20;

/** An env token: whom it makes the caller, and the digest it is known by. */
export interface EnvToken {
  readonly digest: Buffer;
  readonly identity: Identity;
}

/** The name of the identity behind `SVC_API_TOKEN`. */
const SINGLE_TOKEN_NAME = 'api-token';

/** Name in records of callers without a credential. No user and no token can take it, in any case. */
export const ANONYMOUS_NAME = 'anonymous';

/** Throws `conflict`. */
export function refuseReserved(name: string): void {
  if (isReserved(name))
    throw new ServiceError('conflict', `The name "${ANONYMOUS_NAME}" is reserved for callers without a credential; choose another name`);
}

const isReserved = (name: string): boolean => name.toLowerCase() === ANONYMOUS_NAME;

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** A fresh token of 256 random bits; the prefix lets secret scanners find leaked ones. */
export function generateToken(): string {
  return `svc_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

/** Finds the env token with this digest. Compares all of them, each in constant time, so that the time reveals nothing about a near match. */
export function findEnvToken(tokens: readonly EnvToken[], digest: Buffer): EnvToken | undefined {
  let found: EnvToken | undefined;
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token;
  return found;
}

/** `namespace/name` or a bare name, each valid. */
export function isSystemRef(ref: string): boolean {
  const parts = ref.split('/');
  return parts.length <= 2 && parts.every((part) => nameProblem(part) === undefined);
}

const refuse = (message: string) => new ServiceError('invalid', message);

type Fields = { readonly name: string; readonly token: string; readonly role: string; readonly systems?: string };

function splitEntry(entry: string, position: number): Fields | undefined {
  const parts = entry.split(':').map((part) => part.trim());
  const [first = '', second = '', third = '', fourth = ''] = parts;
  if (parts.length === 2) return { name: `token-${position}`, token: first, role: second };
  if (parts.length === 3) return { name: first, token: second, role: third };
  return parts.length === 4 ? { name: first, token: second, role: third, systems: fourth } : undefined;
}

/** Settings of the operator: `SVC_API_TOKENS`, and `SVC_API_TOKEN` or --api-key. */
export interface TokenConfig {
  readonly apiKey?: string | undefined;
  readonly apiTokens?: string | undefined;
}

/** The entries of `SVC_API_TOKENS`; none when it is not set. */
function listOf({ apiTokens }: TokenConfig): string[] {
  const list = apiTokens?.trim() ?? '';
  return list === '' ? [] : list.split(',').map((entry) => entry.trim());
}

const FORMS = 'name:token:role, token:role or name:token:a2a:namespace/system|other-system';

function readEntry(entry: string, position: number): EnvToken {
  const malformed = (problem: string) => refuse(`SVC_API_TOKENS: entry ${position} ${problem}; entries are ${FORMS}, separated by commas`);
  const fields = splitEntry(entry, position);
  if (fields === undefined) throw malformed('has the wrong number of parts');
  const { name, token, role } = fields;
  if (nameProblem(name) !== undefined) throw malformed('has a malformed name');
  if (isReserved(name)) throw malformed('has a reserved name');
  if (token === '' || /[^\x21-\x7e]/.test(token))
    throw malformed('has an empty token or one with spaces or other characters that no header can carry');
  if (!isRole(role)) throw malformed(`has a role that is not one of ${ROLES.join(', ')}`);
  if ((role === 'a2a') !== (fields.systems !== undefined)) throw malformed('must list systems for role a2a, and for no other role');
  const systems = fields.systems?.split('|').map((system) => system.trim());
  if (systems?.some((system) => !isSystemRef(system))) throw malformed('has a malformed system');
  return { digest: digestOf(token), identity: { method: 'bearer', name, role, ...(systems && { a2aAgentSystems: systems }) } };
}

/** One sentence for each env token that is too short, naming its entry and never the token. Entries are well-formed. */
export function shortTokenProblems(config: TokenConfig): string[] {
  const advice = `has a token of fewer than ${TOKEN_CHARS_MIN} characters; make one with "openssl rand -hex 32"`;
  const tokens = listOf(config);
  if (tokens.length === 0) {
    const single = config.apiKey?.trim() ?? '';
    return single !== '' && single.length < TOKEN_CHARS_MIN ? [`SVC_API_TOKEN ${advice}`] : [];
  }
  const fields = tokens.map((entry, index) => splitEntry(entry, index + 1));
  return fields.flatMap((field, index) =>
    field && field.token.length < TOKEN_CHARS_MIN ? [`SVC_API_TOKENS: entry ${index + 1} (${field.name}) ${advice}`] : [],
  );
}

/** The operator's tokens. The single token counts only when the list is empty. Throws `invalid` naming the position of a malformed entry, never its token. */
export function readEnvTokens(config: TokenConfig): EnvToken[] {
  const list = listOf(config);
  if (list.length > 0) {
    const tokens = list.map((entry, index) => readEntry(entry, index + 1));
    tokens.forEach((token, index) => {
      const twin = tokens.findIndex((other) => other.identity.name === token.identity.name || other.digest.equals(token.digest));
      if (twin < index) throw refuse(`SVC_API_TOKENS: entry ${index + 1} repeats the name or token of entry ${twin + 1}`);
    });
    return tokens;
  }
  const single = config.apiKey?.trim() ?? '';
  if (single === '') return [];
  if (/[^\x21-\x7e]/.test(single)) throw refuse('SVC_API_TOKEN holds spaces or other characters that no header can carry');
  return [{ digest: digestOf(single), identity: { method: 'bearer', name: SINGLE_TOKEN_NAME, role: 'admin' } }];
}
