// All migrations of the shared store in order. Forward only: a new one is appended, a released one never changes.
import { sql as initial } from './0001-initial.ts';
import { sql as names } from './0002-names.ts';
import { sql as takeovers } from './0003-takeovers.ts';
import { sql as eventStreams } from './0004-event-streams.ts';
import { sql as keyIndexes } from './0005-key-indexes.ts';
import { sql as specVersions } from './0006-spec-versions.ts';
import { sql as sortValues } from './0007-sort-values.ts';
import { sql as searchWords } from './0008-search-words.ts';
import { sql as namespaceStatistics } from './0009-namespace-statistics.ts';

export interface Migration {
  /** The schema version after it; 1, 2, 3, … without gaps. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial },
  { version: 2, name: 'names', sql: names },
  { version: 3, name: 'takeovers', sql: takeovers },
  { version: 4, name: 'event streams', sql: eventStreams },
  { version: 5, name: 'key indexes', sql: keyIndexes },
  { version: 6, name: 'spec versions', sql: specVersions },
  { version: 7, name: 'sort values', sql: sortValues },
  { version: 8, name: 'search words', sql: searchWords },
  { version: 9, name: 'namespace statistics', sql: namespaceStatistics },
];
