// svcctl memory against the endpoints of entries: listing, searching, writing, and transfers that stop in the middle.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startMemoryEntriesApi } from '../../testing/memory-entries-api.ts';
import { runCli } from '../program/program.ts';
import { startSvcctl, type CliOptions } from '../../testing/run-svcctl.ts';

const api = await startMemoryEntriesApi({ provider: 'embedded' });
const withModel = await startMemoryEntriesApi({ provider: 'pgvector', embedding_model: 'ada' });
const cwd = await mkdtemp(join(tmpdir(), 'svcctl-memory-'));
atFileEnd(async () => {
  await api.stop();
  await withModel.stop();
  await rm(cwd, { recursive: true });
});
beforeEach(() => {
  api.entries.clear();
  api.fails = () => undefined;
});

const start = (argv: readonly string[], options: CliOptions & { readonly url?: string } = {}) =>
  startSvcctl(['memory', ...argv], { cwd, env: { SVCCTL_SERVER: options.url ?? api.url } }, options);
const svcctl = (argv: readonly string[], options: CliOptions & { readonly url?: string } = {}) => start(argv, options).done;

const linesOf = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify({ key: `k${String(i).padStart(4, '0')}`, value: `value ${i}` })}\n`).join('');

it('put writes an entry from an argument, a file or standard input, and get prints it', async () => {
  expect(await svcctl(['put', 'notes', 'a/b c', 'Hello'])).toEqual({ code: 0, out: 'a/b c created\n', err: '' });
  expect((await svcctl(['put', 'memory/notes', 'a/b c', '--value-file', '-'], { stdin: 'two\nlines\n' })).out).toBe('a/b c replaced\n');
  expect(api.entries).toEqual(new Map([['a/b c', 'two\nlines\n']]));
  await writeFile(join(cwd, 'value.txt'), 'ü'.repeat(3));
  expect((await svcctl(['put', 'notes', 'file', '--value-file', 'value.txt', '-o', 'json'])).out).toContain('"created": true');
  expect((await svcctl(['put', 'notes', 'empty', '--value-file', '-'])).out).toBe('empty created\n');
  expect((await svcctl(['get', 'notes', 'file'])).out).toBe('üüü\n');
  expect(JSON.parse((await svcctl(['get', 'notes', 'a/b c', '-o', 'json'])).out)).toEqual({ key: 'a/b c', value: 'two\nlines\n' });
});

it('ingest adds a text by the name of its file, or by --source', async () => {
  await writeFile(join(cwd, 'report.md'), '# Report');
  expect(await svcctl(['ingest', 'notes', '-f', 'report.md'])).toEqual({ code: 0, out: 'report.md added as 1 entry\n', err: '' });
  const piped = await svcctl(['ingest', 'notes', '--source', 'piped', '-o', 'json'], { stdin: 'text' });
  expect(JSON.parse(piped.out)).toEqual({ keys: ['piped/chunk-0000'] });
  expect([...api.entries.values()]).toEqual(['# Report', 'text']);
  expect(await svcctl(['ingest', 'notes'], { stdin: 'text' })).toMatchObject({ code: 2, err: expect.stringContaining('--source') });
  expect((await svcctl(['ingest', 'notes', '--source', 's'], { stdin: 'x'.repeat(2 * 1024 * 1024 + 1) })).err).toContain('at most 2 MiB');
});

it('import takes a file of 10 MB', async () => {
  await writeFile(
    join(cwd, 'many.jsonl'),
    Array.from({ length: 50 }, (_, i) => `${JSON.stringify({ key: `k${i}`, value: 'x'.repeat(200 * 1024) })}\n`).join(''),
  );
  expect((await svcctl(['import', 'notes', '-f', 'many.jsonl'])).code).toBe(0);
  expect(api.entries.size).toBe(50);
});

it('get does not take an entry whose key only begins with the text', async () => {
  api.entries.set('greeting-long', 'x');
  const { code, out, err } = await svcctl(['get', 'notes', 'greeting']);
  expect({ code, out, err }).toEqual({ code: 5, out: '', err: 'error: Memory default/notes has no entry "greeting"\n' });
});

it('list prints one page and names the cursor of the next', async () => {
  await svcctl(['import', 'notes'], { stdin: linesOf(5) });
  const first = await svcctl(['list', 'notes', '--limit', '2']);
  expect(first.out).toMatch(/^KEY +BYTES +VALUE\nk0000 +7 +value 0\nk0001 .*\n$/);
  expect(first.err).toBe('More entries follow: --after k0001\n');
  const rest = await svcctl(['list', 'notes', '--after', 'k0001', '-o', 'json']);
  expect((JSON.parse(rest.out) as { key: string }[]).map(({ key }) => key)).toEqual(['k0002', 'k0003', 'k0004']);
  expect(rest.err).toBe('');
  expect((await svcctl(['list', 'notes', '--prefix', 'zz'])).err).toBe('No entries.\n');
});

it('search prints scores and names the kind of search', async () => {
  api.entries.set('tides', 'high at noon');
  const found = await svcctl(['search', 'notes', 'noon']);
  expect(found.out).toMatch(/^SCORE +KEY +VALUE\n0\.500 +tides +high at noon\n$/);
  expect(found.err).toBe('Keyword search: the memory has no embedding model.\n');
  const vector = await svcctl(['search', 'notes', 'noon'], { url: withModel.url });
  expect(vector.err).toBe('Vector search with ada.\nNo entries match.\n');
});

it('delete removes the named entries, and a missing one is exit code 5', async () => {
  await svcctl(['import', 'notes'], { stdin: linesOf(3) });
  expect(await svcctl(['delete', 'notes', 'k0000', 'k0001'])).toMatchObject({ code: 0, out: 'k0000 deleted\nk0001 deleted\n' });
  expect([...api.entries.keys()]).toEqual(['k0002']);
  expect(await svcctl(['delete', 'notes', 'k0000'])).toMatchObject({ code: 5, out: '' });
});

it('import writes what export printed, with every character', async () => {
  const values = { ['a\u202e']: 'b\u0000\r\n\u2028', ['ключ/1']: '{"json":true}', empty: '' };
  for (const [key, value] of Object.entries(values)) api.entries.set(key, value);
  for (let i = 0; i < 250; i += 1) api.entries.set(`n${i}`, 'x');
  const before = new Map(api.entries);
  const exported = await svcctl(['export', 'notes']);
  expect({ code: exported.code, err: exported.err }).toEqual({ code: 0, err: '253 entries exported.\n' });
  api.entries.clear();
  expect(await svcctl(['import', 'notes'], { stdin: exported.out })).toEqual({ code: 0, out: '', err: '253 entries written.\n' });
  expect(api.entries).toEqual(before);
});

it('import writes the last of several lines with the same key last', async () => {
  const stdin = ['1', '2', '3'].map((value) => JSON.stringify({ key: 'k', value })).join('\n');
  expect(await svcctl(['import', 'notes'], { stdin })).toMatchObject({ code: 0 });
  expect(api.entries.get('k')).toBe('3');
});

it('import that fails names the line, and continues from it', async () => {
  await writeFile(join(cwd, 'entries.jsonl'), linesOf(100));
  api.fails = ({ key }) => (key === 'k0049' ? 503 : undefined);
  const { code, out, err } = await svcctl(['import', 'notes', '-f', 'entries.jsonl']);
  expect({ code, out }).toEqual({ code: 3, out: '' });
  expect(err).toContain('line 50 was not written: the backend does not answer');
  expect(err).toContain('49 entries written; when the cause is removed, continue with --from-line 50');
  api.fails = () => undefined;
  expect(await svcctl(['import', 'notes', '-f', 'entries.jsonl', '--from-line', '50'])).toMatchObject({ err: '51 entries written.\n' });
  expect(api.entries.size).toBe(100);
});

it.each([
  ['text that is no JSON', 'hello', 'line 3 is not JSON'],
  ['a list', '[1]', 'line 3 is not a JSON object'],
  ['a value that is no string', '{"key":"a","value":{"b":1}}', 'line 3 has no string as its value'],
  ['an empty key', '{"key":"","value":"a"}', 'line 3 has a key that is empty'],
  ['a key that is a relative path', '{"key":"..","value":"a"}', 'line 3 has a key that cannot be part of an address'],
  ['an unpaired surrogate', '{"key":"\\ud800","value":"a"}', 'line 3 has a key that holds an unpaired surrogate'],
  ['a line without end', `{"key":"a","value":"${'x'.repeat(10 * 1024 * 1024)}`, 'line 3 is longer than'],
])('import writes the lines before %s and names it', async (_what, bad, message) => {
  const result = await svcctl(['import', 'notes'], { stdin: `${linesOf(2)}${bad}\n${linesOf(1)}` });
  expect({ code: result.code, out: result.out }).toEqual({ code: 1, out: '' });
  expect(result.err).toContain(message);
  expect(result.err).toContain('continue with --from-line 3');
  expect(api.entries.size).toBe(2);
});

it('export counts no entry that its output did not take', async () => {
  await svcctl(['import', 'notes'], { stdin: linesOf(3) });
  const stderr: string[] = [];
  const code = await runCli(['memory', 'export', 'notes'], {
    stdin: Readable.from([]),
    stdout: new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left on device')) }).on('error', () => undefined),
    stderr: new Writable({ write: (chunk, _encoding, done) => done(void stderr.push(String(chunk))) }),
    env: { SVCCTL_SERVER: api.url, XDG_CONFIG_HOME: cwd },
    cwd,
    onInterrupt: () => () => undefined,
  });
  expect({ code, stderr }).toEqual({ code: 1, stderr: ['error: no space left on device\n'] });
});

it('export that fails in the middle names the cursor to continue with', async () => {
  await svcctl(['import', 'notes'], { stdin: linesOf(250) });
  api.fails = ({ after }) => (after === 'k0199' ? 503 : undefined);
  const first = await svcctl(['export', 'notes']);
  expect({ code: first.code, lines: first.out.split('\n').length - 1 }).toEqual({ code: 3, lines: 200 });
  expect(first.err).toContain('200 entries exported; continue with --after k0199');
  api.fails = () => undefined;
  const rest = await svcctl(['export', 'notes', '--after', 'k0199']);
  expect(`${first.out}${rest.out}`).toBe(linesOf(250));
});

it('import stops at Ctrl-C and names the line to continue from', async () => {
  const running = start(['import', 'notes'], { stdin: linesOf(100) });
  api.fails = ({ key }) => void (key === 'k0050' && running.interrupt());
  const { code, err } = await running.done;
  expect(code).toBe(130);
  const [, line = ''] = /Interrupted; continue with --from-line (\d+)\./.exec(err) ?? [];
  expect(Number(line)).toBeGreaterThan(48);
  expect(Number(line)).toBeLessThan(52);
  await svcctl(['import', 'notes', '--from-line', line], { stdin: linesOf(100) });
  expect(api.entries.size).toBe(100);
});

it('import counts on a terminal, and is rejected as a source of entries', async () => {
  expect((await svcctl(['import', 'notes'], { stdin: linesOf(40), columns: 80 })).err).toContain('40 entries written\r');
  const typed = await svcctl(['import', 'notes'], { tty: true });
  expect(typed).toMatchObject({ code: 2, err: expect.stringContaining('the entries are missing') as unknown });
});

it.each([
  ['another kind', ['list', 'task/notes'], 2, 'is not a'],
  ['a memory that does not exist', ['list', 'absent'], 5, 'absent'],
  ['a limit that is no number', ['list', 'notes', '--limit', 'x'], 2, '--limit must be'],
  ['a line that is no number', ['import', 'notes', '--from-line', '0'], 2, '--from-line must be'],
  ['a file that does not exist', ['import', 'notes', '-f', 'absent'], 2, 'cannot read absent: no such file or directory'],
  ['another kind beside a file that does not exist', ['import', 'task/notes', '-f', 'absent'], 2, 'is not a'],
  ['an empty search', ['search', 'notes', ' '], 2, 'the words to search for are missing'],
  ['standard input that is empty', ['put', 'notes', 'k'], 2, 'the value is missing'],
  ['two values', ['put', 'notes', 'k', 'v', '--value-file', '-'], 2, 'not both'],
  ['a key that is a relative path', ['delete', 'notes', '..'], 2, 'the key ".." cannot be part of an address'],
  ['an empty key', ['put', 'notes', '', 'v'], 2, 'the key "" is empty'],
])('memory refuses %s', async (_what, argv, code, message) => {
  const result = await svcctl(argv);
  expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
  expect(result.err).toContain(message);
});

it('put refuses a value that is not UTF-8', async () => {
  await writeFile(join(cwd, 'binary'), Buffer.from([0xff, 0xfe]));
  expect(await svcctl(['put', 'notes', 'k', '--value-file', 'binary'])).toMatchObject({ code: 2 });
  expect(api.entries.size).toBe(0);
});
