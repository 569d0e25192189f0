// Resolves secret references at call time: the Secret resource first, then the environment.
// The environment arrives as an argument; values are never cached, logged or put into messages.
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { nameProblem, namespaceProblem, parseRef } from '@svc/shared/resource';
import type { StoredObject, StoreReader } from '../store/store.ts';
import type { SecretResolver } from './ports.ts';
import type { SecretBox } from './secret-box.ts';
import { openSecretSpec, SECRET_KIND } from './secret-data.ts';

/** Entry of a Secret that is used as one value. */
const VALUE_KEY = 'value';

export interface SecretResolverOptions {
  readonly store: Pick<StoreReader, 'getObject'>;
  readonly box: SecretBox;
  /** Prefix of the fallback variables, such as `SVC_SECRET_`. */
  readonly envPrefix: string;
  /** Without the variables that configure svcd: a reference reads any variable that the prefix and a name can spell. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

type SecretLookup = (ref: string, namespace: string, reader: SecretResolverOptions['store']) => Promise<string | undefined>;

/** Finds out whether a reference leads to a Secret or a variable, reading through the caller's reader. Opens nothing. */
export const createSecretLookup = (options: Pick<SecretResolverOptions, 'envPrefix' | 'env'>): SecretLookup =>
  lookUpWith(options, () => undefined);

/** The same for a reference that is used as one value. A Secret without the key for it is a problem too. */
export const createValueLookup = (options: Pick<SecretResolverOptions, 'envPrefix' | 'env'>): SecretLookup =>
  lookUpWith(options, ({ spec: { data }, ...owner }) => {
    const keys = isObject(data) ? Object.keys(data) : [];
    return valueKey(keys) === undefined ? notOneValue(owner, keys) : undefined;
  });

function lookUpWith(
  { envPrefix, env }: Pick<SecretResolverOptions, 'envPrefix' | 'env'>,
  problemOf: (secret: StoredObject) => string | undefined,
): SecretLookup {
  return async (ref, namespace, reader) => {
    const owner = readRef(ref, namespace);
    const secret = await reader.getObject({ kind: SECRET_KIND, ...owner });
    if (secret) return problemOf(secret);
    const variable = variableOf(envPrefix, owner.name);
    return Object.hasOwn(env, variable) && env[variable] ? undefined : notFound(owner, variable);
  };
}

/** Whether a reference leads to a variable where its Secret does not exist. */
export function createVariableCheck({ envPrefix, env }: Pick<SecretResolverOptions, 'envPrefix' | 'env'>) {
  return ({ kind, name }: { readonly kind: string; readonly name: string }): boolean => {
    const variable = variableOf(envPrefix, name);
    return kind === SECRET_KIND && Object.hasOwn(env, variable) && Boolean(env[variable]);
  };
}

const variableOf = (envPrefix: string, name: string) => envPrefix + name.replaceAll('-', '_');

const notFound = ({ namespace, name }: { namespace: string; name: string }, variable: string) =>
  `Secret ${namespace}/${name} does not exist and the server's environment has no ${variable}; create the Secret or set the variable`;

export function createSecretResolver({ store, box, envPrefix, env }: SecretResolverOptions): SecretResolver {
  async function resolveEntries(ref: string, namespace: string): Promise<Readonly<Record<string, string>>> {
    const owner = readRef(ref, namespace);
    const stored = await store.getObject({ kind: SECRET_KIND, ...owner });
    if (stored) return decodeEntries(openSecretSpec(box, owner, stored.spec).data);
    const variable = variableOf(envPrefix, owner.name);
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    if (value) return { [VALUE_KEY]: value };
    throw new ServiceError('not_found', notFound(owner, variable));
  }

  return {
    resolveEntries,
    async resolveValue(ref, namespace) {
      const entries = await resolveEntries(ref, namespace);
      return pickValue(entries, readRef(ref, namespace));
    },
  };
}

function readRef(ref: string, namespace: string): { namespace: string; name: string } {
  const owner = parseRef(ref.trim(), namespace);
  if (nameProblem(owner.name) === undefined && namespaceProblem(owner.namespace) === undefined) return owner;
  throw new ServiceError('invalid', `the secret reference "${ref}" must be a Secret's name or namespace/name`);
}

function decodeEntries(data: unknown): Readonly<Record<string, string>> {
  if (!isObject(data)) return {};
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8')]));
}

function pickValue(entries: Readonly<Record<string, string>>, owner: { namespace: string; name: string }): string {
  const keys = Object.keys(entries);
  const picked = valueKey(keys);
  const value = picked === undefined ? undefined : entries[picked];
  if (value !== undefined) return value;
  throw new ServiceError('invalid', notOneValue(owner, keys));
}

/** The entry that is the value of a Secret used as one. */
const valueKey = (keys: readonly string[]): string | undefined =>
  keys.includes(VALUE_KEY) ? VALUE_KEY : keys.length === 1 ? keys[0] : undefined;

function notOneValue({ namespace, name }: { namespace: string; name: string }, keys: readonly string[]): string {
  const has = keys.length ? `has the keys ${[...keys].sort().join(', ')}` : 'has no entries';
  return `Secret ${namespace}/${name} ${has}; to be used as one value it needs the key "${VALUE_KEY}" or exactly one key`;
}
