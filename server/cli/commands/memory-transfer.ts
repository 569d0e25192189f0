// `svcctl memory import` and `export`: entries as lines of JSON. A transfer that stops reports where it can continue.
import { setMaxListeners } from 'node:events';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { MemoryEntry } from '@svc/shared/api/memories';
import type { Run } from '../program/command-setup.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { entryPages, memoryFromWord, putEntry } from '../api/memory-api.ts';
import { entryLines, LineError, type EntryLine } from '../api/memory-lines.ts';
import { shellWord } from '../output/shell-word.ts';
import { unreadable, type Terminal } from '../program/terminal.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';

/** Entries written at the same time. */
const WRITES_AT_ONCE = 16;
const FORMAT_HELP = '\nOne JSON object a line: {"key":"greeting","value":"Hello"}.';

interface ImportOptions {
  readonly file?: string | undefined;
  readonly fromLine?: string | undefined;
}

interface ExportOptions {
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
}

export function setupTransfer(command: Command, run: Run): void {
  command
    .command('import')
    .description('write entries from lines of JSON; entries with the same keys are replaced')
    .argument('<memory>', 'name of the memory')
    .option('-f, --file <path>', 'the file; without it, or with "-", standard input')
    .option('--from-line <number>', 'number of the first line to import, to continue an import that stopped')
    .addHelpText('after', FORMAT_HELP)
    .action((word, options) => run((invocation) => importEntries(invocation, word, options)));
  command
    .command('export')
    .description('print entries as lines of JSON, in the order of their keys')
    .argument('<memory>', 'name of the memory')
    .option('--prefix <text>', 'only entries whose keys begin with this text')
    .option('--after <cursor>', 'continue an export that stopped')
    .addHelpText('after', FORMAT_HELP)
    .action((word, options) => run((invocation) => exportEntries(invocation, word, options)));
}

const entriesText = (count: number): string => `${count.toLocaleString('en-US')} ${count === 1 ? 'entry' : 'entries'}`;

/** On a terminal, one line that counts. */
function counter({ stderr }: Terminal, verb: string): { readonly show: (count: number) => void; readonly end: () => void } {
  let shown = false;
  return {
    show: (count) => {
      if (!stderr.isTTY) return;
      stderr.eraseLines(0);
      stderr.write(`${entriesText(count)} ${verb}`);
      shown = true;
    },
    end: () => {
      if (shown) stderr.eraseLines(0);
    },
  };
}

async function importEntries(invocation: Invocation, word: string, { file = '-', fromLine }: ImportOptions): Promise<number> {
  const first = lineNumber(fromLine);
  const open = sourceOf(invocation.terminal, file);
  const memory = await memoryFromWord(invocation, word);
  const progress = counter(invocation.terminal, 'written');
  const done = { entries: 0, nextLine: first };
  const writeBatch = async (batch: readonly EntryLine[], signal: AbortSignal): Promise<void> => {
    const writes = await Promise.allSettled(batch.map((entry) => putEntry(memory, { ...entry, signal })));
    for (const [i, write] of writes.entries()) {
      const line = batch[i]?.line ?? 0;
      if (write.status === 'rejected') throw atLine(line, write.reason);
      done.entries += 1;
      done.nextLine = line + 1;
    }
    progress.show(done.entries);
  };
  const interrupted = await untilInterrupted(invocation.terminal, async (signal) => {
    // Two for each request, one for the source.
    setMaxListeners(2 * WRITES_AT_ONCE + 1, signal);
    for await (const batch of batchesOf(entryLines(readable(open(), signal), first))) await writeBatch(batch, signal);
  })
    .catch((error: unknown) => {
      throw stopped(error, done, file);
    })
    .finally(progress.end);
  invocation.note(`${entriesText(done.entries)} written.`);
  if (!interrupted) return EXIT.ok;
  invocation.note(`Interrupted; continue with --from-line ${done.nextLine}.`);
  return EXIT.interrupted;
}

function lineNumber(text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d{0,11}$/.test(text)) throw usageError(`--from-line must be a number from 1, not "${text}"`);
  return Number(text);
}

type Source = AsyncIterable<unknown> & { readonly destroy: () => unknown };

/** Opens a file only when called: a stream that fails before anyone listens ends the process. */
function sourceOf({ stdin, cwd }: Terminal, file: string): () => Source {
  if (file !== '-') return () => createReadStream(resolve(cwd, file));
  if (stdin.isTTY) throw usageError('the entries are missing', 'name their file with --file, or pipe it to standard input');
  return () => stdin;
}

/** Ends where the signal aborts, even in the middle of a wait for input. */
async function* readable(source: Source, signal: AbortSignal): AsyncGenerator<unknown> {
  const stop = (): void => void source.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* source;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A batch holds each key once, so that the last of several lines with the same key is written last. What was read before a bad line comes first. */
async function* batchesOf(lines: AsyncIterable<EntryLine>): AsyncGenerator<readonly EntryLine[]> {
  let batch = new Map<string, EntryLine>();
  let failure: Error | undefined;
  try {
    for await (const line of lines) {
      if (batch.has(line.key) || batch.size === WRITES_AT_ONCE) {
        yield [...batch.values()];
        batch = new Map();
      }
      batch.set(line.key, line);
    }
  } catch (error) {
    failure = error as Error;
  }
  if (batch.size > 0) yield [...batch.values()];
  if (failure) throw failure;
}

interface Progress {
  readonly entries: number;
  readonly nextLine: number;
}

function atLine(line: number, error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  return new LineError(line, `was not written: ${error.message}`, error);
}

function stopped(error: unknown, { entries, nextLine }: Progress, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && !(error instanceof CliError)) return unreadable(file, error);
  if (!(error instanceof LineError)) return error;
  const hint = `${entriesText(entries)} written; when the cause is removed, continue with --from-line ${Math.max(nextLine, 1)}`;
  return new CliError(error.message, { exitCode: error.exitCode, hint, cause: error });
}

async function exportEntries(invocation: Invocation, word: string, { prefix, after }: ExportOptions): Promise<number> {
  const memory = await memoryFromWord(invocation, word);
  const done = { entries: 0, after };
  // Entries and the count would share the lines of a terminal.
  const progress = invocation.terminal.stdout.isTTY ? undefined : counter(invocation.terminal, 'exported');
  const interrupted = await untilInterrupted(invocation.terminal, async (signal) => {
    for await (const page of entryPages(memory, { prefix, after }, signal)) {
      await printLines(invocation, page.entries, signal);
      done.entries += page.entries.length;
      done.after = page.continue;
      progress?.show(done.entries);
    }
  })
    .catch((error: unknown) => {
      throw cut(error, done);
    })
    .finally(() => progress?.end());
  invocation.note(`${entriesText(done.entries)} exported.`);
  if (!interrupted) return EXIT.ok;
  invocation.note(done.after === undefined ? 'Interrupted.' : `Interrupted; continue with --after ${shellWord(done.after)}.`);
  return EXIT.interrupted;
}

/** Waits until the lines are written: one page at most is held, and no page is counted that a full disk did not take. */
async function printLines(invocation: Invocation, entries: readonly MemoryEntry[], signal: AbortSignal): Promise<void> {
  invocation.out(...entries.map(({ key, value }) => JSON.stringify({ key, value })));
  const { stream } = invocation.terminal.stdout;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    stream.write('', (error) => {
      signal.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve();
    });
  });
}

function cut(error: unknown, { entries, after }: { readonly entries: number; readonly after: string | undefined }): unknown {
  if (!(error instanceof CliError) || after === undefined || entries === 0) return error;
  const hint = `${entriesText(entries)} exported; continue with --after ${shellWord(after)}`;
  return new CliError(error.message, { exitCode: error.exitCode, hint, cause: error });
}
