// All statements of one connection, prepared once, by topic.
import type { IndexFunctions } from '../../store.ts';
import { createTermsOf } from '../../terms.ts';
import type { Connection } from '../connection.ts';
import { NO_KNOWN_VERSIONS, type KnownVersions } from '../known-versions.ts';
import { changeStatements } from './changes.ts';
import type { ChangeStatements } from './changes.ts';
import { documentStatements } from './documents.ts';
import type { DocumentStatements } from './documents.ts';
import { eventStatements } from './events.ts';
import type { EventStatements } from './events.ts';
import { journalStatements } from './journal.ts';
import type { JournalStatements } from './journal.ts';
import { listStatements } from './lists.ts';
import type { ListStatements } from './lists.ts';
import { nameStatements } from './names.ts';
import type { NameStatements } from './names.ts';
import { objectWriteStatements } from './object-writes.ts';
import type { ObjectWriteStatements } from './object-writes.ts';
import { objectStatements } from './objects.ts';
import type { ObjectStatements } from './objects.ts';
import { reindexStatements } from './reindex.ts';
import type { ReindexStatements } from './reindex.ts';
import { searchStatements } from './search.ts';
import type { SearchStatements } from './search.ts';
import { versionStatements } from './versions.ts';
import type { VersionStatements } from './versions.ts';
import { workListStatements } from './work-lists.ts';
import type { WorkListStatements } from './work-lists.ts';
import { workStatements } from './work.ts';
import type { WorkStatements } from './work.ts';

export interface Topics {
  readonly objects: ObjectStatements;
  readonly objectWrites: ObjectWriteStatements;
  readonly reindex: ReindexStatements;
  readonly lists: ListStatements;
  readonly names: NameStatements;
  readonly search: SearchStatements;
  readonly changes: ChangeStatements;
  readonly journal: JournalStatements;
  readonly events: EventStatements;
  readonly work: WorkStatements;
  readonly workLists: WorkListStatements;
  readonly documents: DocumentStatements;
  readonly versions: VersionStatements;
}

export interface TopicParts {
  readonly nowMs: () => number;
  readonly index: IndexFunctions;
  /** Absent: the connection sees uncommitted versions. */
  readonly known?: KnownVersions;
}

/** Prepares every statement on a migrated connection. */
export function prepareTopics(connection: Connection, { nowMs, index, known = NO_KNOWN_VERSIONS }: TopicParts): Topics {
  const termsOf = createTermsOf(index);
  const changes = changeStatements(connection);
  const objects = objectStatements(connection);
  const lists = listStatements(connection, { objects, changes, known });
  return {
    changes,
    objects,
    objectWrites: objectWriteStatements(connection, changes, termsOf),
    reindex: reindexStatements(connection, termsOf),
    lists,
    names: nameStatements(connection),
    search: searchStatements(connection, lists, index.texts),
    journal: journalStatements(connection),
    events: eventStatements(connection),
    work: workStatements(connection, nowMs),
    workLists: workListStatements(connection),
    documents: documentStatements(connection),
    versions: versionStatements(connection),
  };
}
