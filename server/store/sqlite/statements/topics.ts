// All statements of one connection, prepared once, by topic.
import type { IndexFunctions } from '../../store.ts';
import { createTermsOf } from '../../terms.ts';
import type { Connection } from '../connection.ts';
import { NO_KNOWN_VERSIONS, type KnownVersions } from '../known-versions.ts';
import { changeStatements } from './changes.ts';
import { documentStatements } from './documents.ts';
import { eventStatements } from './events.ts';
import { journalStatements } from './journal.ts';
import { listStatements } from './lists.ts';
import { nameStatements } from './names.ts';
import { objectWriteStatements } from './object-writes.ts';
import { objectStatements } from './objects.ts';
import { reindexStatements } from './reindex.ts';
import { searchStatements } from './search.ts';
import { versionStatements } from './versions.ts';
import { workListStatements } from './work-lists.ts';
import { workStatements } from './work.ts';

export type Topics = ReturnType<typeof prepareTopics>;

export interface TopicParts {
  readonly nowMs: () => number;
  readonly index: IndexFunctions;
  /** Absent: the connection sees uncommitted versions. */
  readonly known?: KnownVersions;
  /** Lets the rest of the process run between stretches of a long list. Absent: inside a transaction it would only hold up the other writers. */
  readonly pause?: () => Promise<void>;
}

const noPause = async (): Promise<void> => undefined;

/** Prepares every statement on a migrated connection. */
export function prepareTopics(connection: Connection, { nowMs, index, known = NO_KNOWN_VERSIONS, pause = noPause }: TopicParts) {
  const termsOf = createTermsOf(index);
  const changes = changeStatements(connection);
  const objects = objectStatements(connection);
  const lists = listStatements(connection, { objects, changes, known, pause });
  return {
    changes,
    objects,
    objectWrites: objectWriteStatements(connection, changes, termsOf),
    reindex: reindexStatements(connection, termsOf),
    lists,
    names: nameStatements(connection),
    search: searchStatements(connection, { lists, texts: index.texts, pause }),
    journal: journalStatements(connection),
    events: eventStatements(connection),
    work: workStatements(connection, nowMs),
    workLists: workListStatements(connection),
    documents: documentStatements(connection),
    versions: versionStatements(connection),
  };
}
