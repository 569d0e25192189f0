// Reads every rule in force as of one moment.
import { ServiceError } from '@svc/shared/errors';
import type { ResourceKey } from '@svc/shared/resource';
import type { ListCursor } from '../store/list-order.ts';
import type { ListQuery, StoredObject, StoreReader } from '../store/store.ts';
import { compileRules, type RuleBook, type StoredRules } from './rule-book.ts';
import { readRulesVersion } from './rules-version.ts';

/** Reads that governance needs from a store. */
export interface RuleReader {
  getObject(key: ResourceKey): Promise<StoredObject | undefined>;
  /** In order of namespace and name. */
  listObjects(query: Pick<ListQuery, 'kind' | 'after' | 'limit'>): Promise<StoredObject[]>;
  getDocument: StoreReader['getDocument'];
}

/** A rule book and the version it is of. */
export interface LoadedRules {
  readonly version: string;
  readonly book: RuleBook;
}

const PAGE = 500;
/** Rules that change during this many readings one after the other are changed without end. */
const READINGS_MAX = 20;

/**
 * Throws `unavailable` when the rules are changed faster than they can be read: a book of rules that never held together must not judge.
 * Every read goes through `reader`, so that a transaction may ask within itself.
 */
export async function loadRules(reader: RuleReader): Promise<LoadedRules> {
  let version = await readRulesVersion(reader);
  for (let reading = 0; reading < READINGS_MAX; reading += 1) {
    const stored = await readStored(reader);
    const after = await readRulesVersion(reader);
    if (after === version) return { version, book: compileRules(stored) };
    version = after;
  }
  throw new ServiceError('unavailable', 'policies, roles and permissions are changed faster than they can be read; try again');
}

async function readStored(reader: RuleReader): Promise<StoredRules> {
  return {
    policies: await readKind(reader, 'AgentPolicy'),
    permissions: await readKind(reader, 'ToolPermission'),
    roles: await readKind(reader, 'AgentRole'),
  };
}

async function readKind(reader: RuleReader, kind: string): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  let after: ListCursor | undefined;
  do {
    const page: StoredObject[] = await reader.listObjects({ kind, limit: PAGE, ...(after && { after }) });
    for (const object of page) objects.push(object);
    after = page.length < PAGE ? undefined : page.at(-1);
  } while (after);
  return objects;
}
