// Console settings of a person: one small document for each identity. It is independent of the settings.
import { ServiceError } from '@svc/shared/errors';
import { isObject, mergePatch, type JsonObject } from '@svc/shared/json';
import { requireRole } from '../registry/authorise.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import { Collection } from '../store/collection.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

const PREFERENCES = new Collection<JsonObject>('preferences');
const WRITING = new Collection('preferences.writing');
/** Size limit of the whole document as JSON text. */
const BYTES_MAX = 64 * 1024;
const DEPTH_MAX = 16;
/** Keys with a special meaning in JavaScript objects; no setting may have such a name. */
const RESERVED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface Preferences {
  /** Empty when nothing was set. */
  get(context: RequestContext): Promise<JsonObject>;
  /** RFC 7386 merge patch; answers with the whole. Throws `invalid` unless it is a plain JSON object, `too_large` when the whole would be past 64 KiB. */
  set(context: RequestContext, patch: JsonObject): Promise<JsonObject>;
}

export interface PreferencesOptions {
  readonly store: Pick<Store, 'transaction' | 'getDocument'>;
}

const idOf = ({ method, name }: Pick<Identity, 'method' | 'name'>): string => `${method}/${name}`;

/** Problem of a value, as a path and a sentence; undefined for plain JSON. */
function problemOf(value: unknown, path: string, depth: number): string | undefined {
  if (depth > DEPTH_MAX) return `${path} is nested more than ${DEPTH_MAX} deep`;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${path} is not a finite number`;
  if (Array.isArray(value))
    return firstProblem(
      value.map((item: unknown, index) => [`${path}[${index}]`, item]),
      depth,
    );
  if (!isObject(value)) return `${path} is not a JSON value`;
  const reserved = Object.keys(value).find((key) => RESERVED_KEYS.has(key));
  if (reserved !== undefined) return `${path} has the key "${reserved}", which no setting may have`;
  return firstProblem(
    Object.entries(value).map(([key, item]) => [path === '' ? key : `${path}.${key}`, item]),
    depth,
  );
}

function firstProblem(items: readonly (readonly [string, unknown])[], depth: number): string | undefined {
  for (const [path, item] of items) {
    const problem = problemOf(item, path, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function requireSmall(document: unknown, what: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(document));
  if (bytes > BYTES_MAX) throw new ServiceError('too_large', `${what} ${bytes} bytes; ${BYTES_MAX} is the most`);
}

function readPatch(patch: unknown): JsonObject {
  if (!isObject(patch)) throw new ServiceError('invalid', 'Preferences are set by a JSON object: each key a setting, null to remove it');
  const problem = problemOf(patch, '', 0);
  if (problem !== undefined) throw new ServiceError('invalid', `Preferences: ${problem}`);
  requireSmall(patch, 'The patch of your preferences has');
  return patch as JsonObject;
}

/** Removes the preferences of a person or a program that is deleted: a later one of the same name begins without any. */
export async function forgetPreferences(tx: StoreTransaction, name: string): Promise<void> {
  for (const method of ['session', 'bearer'] as const) {
    const id = idOf({ method, name });
    for (const collection of [PREFERENCES, WRITING]) await collection.remove(tx, id);
  }
}

async function read(reader: Pick<Store, 'getDocument'>, id: string): Promise<JsonObject> {
  return (await PREFERENCES.get(reader, id)) ?? {};
}

export function createPreferences({ store }: PreferencesOptions): Preferences {
  return {
    async get({ identity }) {
      return read(store, idOf(identity));
    },
    async set(context, patch) {
      requireRole(context, 'reader', 'setting preferences');
      const [id, change] = [idOf(context.identity), readPatch(patch)];
      return transactAgain(store, async (tx) => {
        // Until the transaction ends nobody else writes this document: no patch is lost between two tabs.
        await WRITING.put(tx, id, {});
        const whole = mergePatch(await read(tx, id), change) as JsonObject;
        requireSmall(whole, 'Your preferences would have');
        await PREFERENCES.put(tx, id, whole);
        return whole;
      });
    },
  };
}
