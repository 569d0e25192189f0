// `svcctl memory`: lists, searches, reads, writes and deletes the entries of a Memory, adds documents, and moves entries as lines of JSON.
import { basename } from 'node:path';
import type { MemoryEntry } from '@svc/shared/api/memories';
import { searchMode, type SearchMode } from '@svc/shared/kinds/memory/search-mode';
import { specOf } from '@svc/shared/kinds/read';
import { memoryDocumentProblem } from '@svc/shared/memory-limits';
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import {
  deleteEntry,
  entryKey,
  entryPage,
  findEntry,
  ingestDocument,
  memoryFromWord,
  putEntry,
  type PageQuery,
} from '../api/memory-api.ts';
import { shellWord } from '../output/shell-word.ts';
import { listPrinter, type ListLayout } from '../output/list-printer.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { getObject } from '../api/resource-api.ts';
import { readGiven, utf8Of, type Terminal } from '../program/terminal.ts';
import { setupTransfer } from './memory-transfer.ts';

const MEMORY_HELP = 'name of the memory';
const LIMIT_DEFAULT = 100;
const TOP_DEFAULT = 10;
const LIMIT_MAX = 1_000;

interface ListOptions {
  readonly prefix?: string | undefined;
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
}

interface PutOptions {
  readonly valueFile?: string | undefined;
}

export const setupMemory: CommandSetup = (command, run) => {
  command
    .command('list')
    .description('list entries in the order of their keys')
    .argument('<memory>', MEMORY_HELP)
    .option('--prefix <text>', 'only entries whose keys begin with this text')
    .option('--limit <number>', `how many, at most ${LIMIT_MAX} (default: ${LIMIT_DEFAULT})`)
    .option('--after <cursor>', 'cursor of the next page, as printed below the previous page')
    .option('--no-headers', 'print the table without its titles')
    .action((word, options) => run((invocation) => list(invocation, word, options)));
  command
    .command('search')
    .description('search entries, by vectors where the memory has an embedding model, else by keywords')
    .argument('<memory>', MEMORY_HELP)
    .argument('<query>', 'words to search for')
    .option('--limit <number>', `how many, at most ${LIMIT_MAX} (default: ${TOP_DEFAULT})`)
    .option('--no-headers', 'print the table without its titles')
    .action((word, query, options) => run((invocation) => search(invocation, { word, query, ...options })));
  command
    .command('get')
    .description('print the value of an entry')
    .argument('<memory>', MEMORY_HELP)
    .argument('<key>', 'key of the entry')
    .action((word, key) => run((invocation) => get(invocation, word, key)));
  command
    .command('put')
    .description('write an entry; an entry with the key is replaced')
    .argument('<memory>', MEMORY_HELP)
    .argument('<key>', 'key of the entry')
    .argument('[value]', 'value of the entry; without it, standard input')
    .option('--value-file <path>', 'the value from a file, or from standard input for -')
    .action((...[word, key, value, options]) => run((invocation) => put(invocation, { word, key, value, ...options })));
  command
    .command('delete')
    .description('delete entries by their keys')
    .argument('<memory>', MEMORY_HELP)
    .argument('<keys...>', 'keys of the entries')
    .action((word, keys) => run((invocation) => remove(invocation, word, keys)));
  command
    .command('ingest')
    .description('cut a text into entries; those of an earlier text of the same source are replaced')
    .argument('<memory>', MEMORY_HELP)
    .option('-f, --file <path>', 'the text, at most 2 MiB; without it, or with "-", standard input')
    .option('--source <name>', 'name of the text, with which the keys begin (default: name of the file)')
    .action((word, options) => run((invocation) => ingest(invocation, word, options)));
  setupTransfer(command, run);
};

function countOf(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > LIMIT_MAX) throw usageError(`--limit must be a number from 1 to ${LIMIT_MAX}, not "${text}"`);
  return count;
}

const SEARCHED: Readonly<Record<SearchMode, (model: string) => string>> = {
  vector: (model) => `Vector search with ${model}.`,
  keyword: () => 'Keyword search: the memory has no embedding model.',
  adapter: () => 'The provider searches in its own way.',
};

const bytesOf = (value: string): string => String(Buffer.byteLength(value));

async function list(invocation: Invocation, word: string, { prefix, after, limit }: ListOptions): Promise<void> {
  const query: PageQuery = { prefix, after, limit: countOf(limit, LIMIT_DEFAULT) };
  const print = listPrinter<MemoryEntry>(invocation, {
    columns: [
      { title: 'KEY', cell: ({ key }) => key },
      { title: 'BYTES', cell: ({ value }) => bytesOf(value) },
      { title: 'VALUE', cell: ({ value }) => value },
    ],
    drop: ['BYTES', 'VALUE'],
    empty: 'No entries.',
  });
  const page = await entryPage(await memoryFromWord(invocation, word), query);
  print(page.entries);
  if (page.continue !== undefined) invocation.note(`More entries follow: --after ${shellWord(page.continue)}`);
}

async function search(
  invocation: Invocation,
  { word, query, limit }: Pick<ListOptions, 'limit'> & { readonly word: string; readonly query: string },
): Promise<void> {
  if (query.trim() === '') throw usageError('the words to search for are missing');
  const layout: ListLayout<MemoryEntry> = {
    columns: [
      { title: 'SCORE', cell: ({ score }) => score.toFixed(3) },
      { title: 'KEY', cell: ({ key }) => key },
      { title: 'BYTES', cell: ({ value }) => bytesOf(value), wide: true },
      { title: 'VALUE', cell: ({ value }) => value },
    ],
    drop: ['VALUE'],
    empty: 'No entries match.',
  };
  const print = listPrinter<MemoryEntry>(invocation, layout);
  const memory = await memoryFromWord(invocation, word);
  const spec = specOf('Memory', await getObject(memory.client, memory.key));
  const page = await entryPage(memory, { q: query, limit: countOf(limit, TOP_DEFAULT) });
  invocation.note(invocation.errorStyle.dim(SEARCHED[searchMode(spec)](spec.embedding_model ?? '')));
  print(page.entries);
}

async function get(invocation: Invocation, word: string, key: string): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const memory = await memoryFromWord(invocation, word);
  const entry = await findEntry(memory, entryKey(key));
  if (!entry) throw new CliError(`Memory ${memory.key.namespace}/${memory.key.name} has no entry "${key}"`, { exitCode: EXIT.notFound });
  const { value } = entry;
  printRecord(invocation, { key, value }, { name: key, table: () => invocation.out(value) });
}

async function put(
  invocation: Invocation,
  { word, key, ...given }: PutOptions & { readonly word: string; readonly key: string; readonly value?: string | undefined },
): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const request = { key: entryKey(key), value: await valueOf(invocation.terminal, given) };
  const reply = await putEntry(await memoryFromWord(invocation, word), request);
  printRecord(invocation, reply, { name: key, table: () => invocation.out(`${key} ${reply.created ? 'created' : 'replaced'}`) });
}

async function valueOf(terminal: Terminal, { value, valueFile }: PutOptions & { readonly value?: string | undefined }): Promise<string> {
  if (value !== undefined && valueFile !== undefined) throw usageError('give the value or --value-file, not both');
  if (value !== undefined) return value;
  const missing = () =>
    usageError('the value is missing', 'give it behind the key, name its file with --value-file, or pipe it to standard input');
  if (valueFile === undefined && terminal.stdin.isTTY) throw missing();
  const text = utf8Of(await readGiven(terminal, valueFile ?? '-'), 'the value');
  // Standard input is empty under cron and CI, where nobody meant to give it.
  if (valueFile === undefined && text === '') throw missing();
  return text;
}

interface IngestOptions {
  readonly file?: string | undefined;
  readonly source?: string | undefined;
}

async function ingest(invocation: Invocation, word: string, { file = '-', source = basename(file) }: IngestOptions): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const { terminal } = invocation;
  if (source === '-') throw usageError('the name of the text is missing', 'give it with --source');
  if (file === '-' && terminal.stdin.isTTY)
    throw usageError('the text is missing', 'name its file with --file, or pipe it to standard input');
  const content = utf8Of(await readGiven(terminal, file), 'the text');
  const problem = memoryDocumentProblem(content);
  if (problem !== undefined) throw usageError(`the text ${problem}`);
  const reply = await ingestDocument(await memoryFromWord(invocation, word), { source, content });
  const count = reply.keys.length;
  printRecord(invocation, reply, {
    name: source,
    table: () => invocation.out(`${source} added as ${count} ${count === 1 ? 'entry' : 'entries'}`),
  });
}

async function remove(invocation: Invocation, word: string, keys: readonly string[]): Promise<void> {
  keys.forEach(entryKey);
  const memory = await memoryFromWord(invocation, word);
  for (const key of keys) {
    await deleteEntry(memory, key);
    invocation.out(`${key} deleted`);
  }
}
