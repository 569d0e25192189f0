// Copies every table of an embedded database into an empty PostgreSQL one, in one transaction, and checks what arrived before it commits.
import { ServiceError } from '@svc/shared/errors';
import { inBatches } from './batches.ts';
import { assertEmptyTables } from './copy-target.ts';
import type { CopyTarget, TargetTables } from './copy-target.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { RowDigest } from './row-digest.ts';
import { TABLES } from './tables.ts';
import type { Table } from './tables.ts';

interface CopiedTable {
  readonly name: string;
  readonly rows: number;
}

export interface CopyProgress {
  /** Table that is being copied. */
  readonly table: string;
  /** Rows of it that the target holds. */
  readonly done: number;
  readonly total: number;
}

export interface CopyOptions {
  readonly source: EmbeddedSource;
  readonly target: CopyTarget;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

export interface CopyReport {
  readonly tables: readonly CopiedTable[];
  /** The newest change: watches of the source resume here. */
  readonly changeHead: number;
  /** Memories whose entries, in files beside the source, are not copied, as `namespace/name`. */
  readonly memoriesWithoutEntries: readonly string[];
}

/** Content of a copy; reads only. */
export function planCopy(source: EmbeddedSource): CopyReport {
  return {
    tables: TABLES.map((table) => ({ name: table.name, rows: source.count(table) })),
    changeHead: source.changeHead(),
    memoriesWithoutEntries: source.embeddedMemories(),
  };
}

async function copyTable({ source, onProgress, signal }: CopyOptions, into: TargetTables, table: Table): Promise<RowDigest> {
  const digest = new RowDigest(table);
  const total = source.count(table);
  const adapt = table.adapt ?? ((row) => row);
  onProgress({ table: table.name, done: 0, total });
  for (const batch of inBatches(source.rows(table))) {
    signal.throwIfAborted();
    const rows = batch.map(adapt);
    await into.insert(table, rows);
    for (const row of rows) digest.add(row);
    onProgress({ table: table.name, done: digest.rows, total });
  }
  return digest;
}

async function verify(into: TargetTables, { table, sent }: { table: Table; sent: RowDigest }): Promise<void> {
  const arrived = new RowDigest(table);
  for await (const row of into.rows(table)) arrived.add(row);
  if (arrived.rows === sent.rows && arrived.value === sent.value) return;
  const what = arrived.rows === sent.rows ? 'with other contents' : `as ${arrived.rows}`;
  throw new ServiceError('internal', `the ${sent.rows} rows of ${table.name} arrived ${what}; nothing was copied`);
}

/**
 * Copies everything or nothing. The source is only read.
 * Throws `conflict` for a target that is not empty, the signal's reason when aborted, `unavailable` when a database does not answer.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { source, target, signal } = options;
  return target.transaction(async (into) => {
    await assertEmptyTables(into);
    const copied: { table: Table; sent: RowDigest }[] = [];
    for (const table of TABLES) copied.push({ table, sent: await copyTable(options, into, table) });
    const changeHead = source.changeHead();
    await into.continueFrom(changeHead);
    await into.queueTexts();
    for (const each of copied) {
      signal.throwIfAborted();
      await verify(into, each);
    }
    signal.throwIfAborted();
    return {
      tables: copied.map(({ table, sent }) => ({ name: table.name, rows: sent.rows })),
      changeHead,
      memoriesWithoutEntries: source.embeddedMemories(),
    };
  });
}
