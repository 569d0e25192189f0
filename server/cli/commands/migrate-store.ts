// `svcctl migrate-store`: from the embedded database of one machine to PostgreSQL. The one command that calls no server.
import { resolve } from 'node:path';
import { ServiceError } from '@svc/shared/errors';
import type { CopyProgress, CopyReport } from '../../store/copy/copy-store.ts';
import type { CopyTarget } from '../../store/copy/copy-target.ts';
import type { EmbeddedSource } from '../../store/copy/embedded-source.ts';
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';

const DEFAULT_DATA_DIR = './.svc-data';

interface Options {
  readonly dataDir?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

interface Ends {
  readonly source: EmbeddedSource;
  readonly target: CopyTarget;
}

export const setupMigrateStore: CommandSetup = (command, run) => {
  command
    .option('--data-dir <dir>', `data directory of the stopped server (SVC_DATA_DIR; default ${DEFAULT_DATA_DIR})`)
    .option('--database-url <url>', 'postgres://… of an empty database; prefer SVC_DATABASE_URL, arguments show in process listings')
    .option('--dry-run', 'print what would be copied, and write nothing')
    .addHelpText(
      'after',
      '\nCopies everything or nothing: objects, history, runs in progress, tokens,\nencrypted Secrets. The embedded database is only read, and stays as a backup.\nThis command contacts no server.',
    )
    .action((options) => run((invocation) => migrateStore(invocation, options)));
};

/** The exit codes of the other commands: what is wrong with the command line, with reaching the database, with the copy. */
function toCliError(error: unknown, unavailable: number = EXIT.failed): unknown {
  if (!(error instanceof ServiceError)) return error;
  const exitCode = error.code === 'invalid' ? EXIT.usage : error.code === 'unavailable' ? unavailable : EXIT.failed;
  return new CliError(error.message, { exitCode, cause: error });
}

async function openEnds(invocation: Invocation, options: Options): Promise<Ends> {
  const { env, cwd } = invocation.terminal;
  const url = options.databaseUrl ?? env['SVC_DATABASE_URL'];
  if (!url) throw usageError('the target database is missing', 'set SVC_DATABASE_URL, or add --database-url postgres://…');
  // Loaded here, so that no other command pays for the database drivers.
  const { openEmbeddedSource } = await import('../../store/copy/embedded-source.ts');
  const { assertTargetUrl, openCopyTarget } = await import('../../store/copy/open-copy-target.ts');
  assertTargetUrl(url);
  const source = openEmbeddedSource(resolve(cwd, options.dataDir ?? (env['SVC_DATA_DIR'] || DEFAULT_DATA_DIR)));
  try {
    return { source, target: await openCopyTarget(url) };
  } catch (error) {
    source.close();
    throw toCliError(error, EXIT.unreachable);
  }
}

async function migrateStore(invocation: Invocation, options: Options): Promise<number> {
  const format = invocation.format(['table', 'json']);
  const { source, target } = await openEnds(invocation, options).catch((error: unknown) => {
    throw toCliError(error);
  });
  const dryRun = options.dryRun === true;
  let report: CopyReport | undefined;
  try {
    await untilInterrupted(invocation.terminal, async (signal) => {
      report = dryRun ? await plan({ source, target }) : await copy(invocation, { source, target }, signal);
    });
    if (!report) {
      invocation.note('Interrupted; nothing was copied.');
      return EXIT.interrupted;
    }
  } catch (error) {
    throw toCliError(error, EXIT.unreachable);
  } finally {
    await target.close();
    source.close();
  }
  const summary = { dryRun, from: source.path, to: target.place, ...report };
  if (format === 'json') invocation.out(JSON.stringify(summary, null, 2));
  else printSummary(invocation, summary);
  return EXIT.ok;
}

async function plan({ source, target }: Ends): Promise<CopyReport> {
  const { planCopy } = await import('../../store/copy/copy-store.ts');
  await target.assertEmpty();
  return planCopy(source);
}

async function copy(invocation: Invocation, ends: Ends, signal: AbortSignal): Promise<CopyReport> {
  const { copyStore } = await import('../../store/copy/copy-store.ts');
  return copyStore({ ...ends, signal, onProgress: progressLines(invocation) });
}

const count = (n: number): string => n.toLocaleString('en-US');

/** On a terminal, one line for each table that counts up to its rows. */
function progressLines({ terminal: { stderr } }: Invocation): (progress: CopyProgress) => void {
  if (!stderr.isTTY) return () => undefined;
  return ({ table, done, total }) => {
    stderr.rewrite(`${table.replace('_', ' ')}: ${count(done)} of ${count(total)} rows${done === total ? '\n' : ''}`);
  };
}

/** Nouns for the rows of each table, singular and plural; rows of indexes are left out. */
const CONTENTS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  objects: ['object', 'objects'],
  changes: ['change', 'changes'],
  journal: ['journal entry', 'journal entries'],
  signals: ['signal', 'signals'],
  work_items: ['work item', 'work items'],
  documents: ['document', 'documents'],
};

function contentsOf(tables: CopyReport['tables']): string {
  const parts = tables.flatMap(({ name, rows }) => {
    const words = CONTENTS[name];
    return words && rows > 0 ? [`${count(rows)} ${words[rows === 1 ? 0 : 1]}`] : [];
  });
  return parts.join(', ') || 'nothing';
}

interface Summary extends CopyReport {
  readonly dryRun: boolean;
  readonly from: string;
  readonly to: string;
}

function printSummary(invocation: Invocation, { dryRun, from, to, tables, memoriesWithoutEntries: memories }: Summary): void {
  invocation.out(`${dryRun ? 'would copy' : 'copied'} ${contentsOf(tables)} from ${from} to ${to}`);
  if (memories.length > 0)
    invocation.note(
      '',
      `Not copied: entries of the embedded Memories ${memories.join(', ')}. PostgreSQL has no embedded Memories.`,
      'Write the entries to files with "svcctl memory export" from a server on the embedded database; import them into Memories of another provider.',
    );
  if (dryRun) return;
  invocation.note(
    '',
    'Secret values were copied as they are stored: start every server and worker with the same --secret-encryption-key as before.',
    'Then start "npx svcd --database-url …". The embedded database is unchanged: keep it as a backup, and start no server on it.',
  );
}
