// RegistryQueries over a store: who may ask, then the reads in the files beside it.
import type { StoreReader } from '../store/store.ts';
import { requireRole } from './authorise.ts';
import { describeKind } from './mapping.ts';
import type { RegistryQueries } from './queries.ts';
import { readCount } from './reads.ts';
import { readReferrers, readRelations } from './referrers.ts';
import { searchNames } from './search.ts';
import { readVersion, readVersions } from './versions.ts';

export function createQueries(store: StoreReader, isIndexed: () => Promise<boolean>): RegistryQueries {
  return {
    async count(context, request) {
      requireRole(context, 'reader', `counting ${describeKind(request.kind)}`);
      return readCount(store, request);
    },
    async search(context, request) {
      requireRole(context, 'reader', 'searching');
      return searchNames(store, request);
    },
    async referrers(context, key, request) {
      requireRole(context, 'reader', `reading who refers to ${describeKind(key.kind)}`);
      // Asked first: what is indexed by then is found.
      const incomplete = !(await isIndexed());
      return { ...(await readReferrers(store, key, request)), incomplete };
    },
    async versions(context, key, request) {
      requireRole(context, 'reader', `reading ${describeKind(key.kind)}`);
      return readVersions(store, key, request);
    },
    async version(context, key, generation) {
      requireRole(context, 'reader', `reading ${describeKind(key.kind)}`);
      return readVersion(store, key, generation);
    },
    async relations(context, key) {
      requireRole(context, 'reader', `reading ${describeKind(key.kind)}`);
      return readRelations(store, key);
    },
  };
}
