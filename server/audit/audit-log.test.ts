// Audit log as a file: appended, readable by its owner only, rotated by another program, and retried when the disk fails.
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptLog, turns, type LogLine } from '../testing/background.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import type { AuditEvent } from './audit-event.ts';
import { openAuditLog } from './audit-log.ts';

let directory: string;
let file: string;
let clock: ManualClock;
let logged: LogLine[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-audit-'));
  file = join(directory, 'log', 'audit.jsonl');
  await mkdir(join(directory, 'log'));
  clock = createManualClock();
  logged = [];
});
afterEach(() => rm(directory, { recursive: true }));

const event = (name: string): AuditEvent => ({
  timestamp: '2026-01-02T03:04:05.000Z',
  component: 'auth',
  action: 'token.create',
  outcome: 'success',
  principal: { name: 'ann', method: 'bearer', role: 'admin' },
  resource: { kind: 'Token', name },
});
const open = (target = file) => openAuditLog(target, { log: keptLog(logged).log, clock });
const names = async (path = file) =>
  (await readFile(path, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as AuditEvent).resource.name);

test('lines are appended in order to a file that only its owner reads', async () => {
  const first = await open();
  first.write(event('a'));
  first.write(event('b'));
  await first.close();
  const second = await open();
  second.write(event('c'));
  await second.close();
  await second.close();
  expect(await names()).toEqual(['a', 'b', 'c']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ['is in no directory', () => join(directory, 'absent', 'audit.jsonl'), 'ENOENT'],
  ['is a directory', () => join(directory, 'log'), 'EISDIR'],
])('a file that %s stops the start with one line that names it', async (_, path, code) => {
  const message = `--audit-log: cannot open ${path()} for appending: ${code}`;
  await expect(open(path())).rejects.toMatchObject({ code: 'invalid', message });
});

test('a file that was rotated away is left for a new one, without a signal', async () => {
  const log = await open();
  log.write(event('old'));
  await expect.poll(() => names()).toEqual(['old']);
  await rename(file, `${file}.1`);
  clock.advance(1_000);
  log.write(event('new'));
  await log.close();
  expect(await names(`${file}.1`)).toEqual(['old']);
  expect(await names()).toEqual(['new']);
});

test('events that cannot be written wait, are reported once and are written in order after recovery', async () => {
  const log = await open();
  await rename(join(directory, 'log'), join(directory, 'gone'));
  clock.advance(1_000);
  log.write(event('a'));
  await expect.poll(() => logged.length).toBe(1);
  for (const name of ['b', 'c']) log.write(event(name));
  clock.advance(1_000);
  await turns();
  await mkdir(join(directory, 'log'));
  await expect
    .poll(() => {
      clock.advance(1_000);
      return names();
    })
    .toEqual(['a', 'b', 'c']);
  await log.close();
  expect(logged.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'the audit log cannot be written; its lines wait'],
    ['info', 'the audit log is written again'],
  ]);
});

test('an event that arrives as the last write ends is written', async () => {
  const { log } = keptLog(logged);
  const info = () => void Promise.resolve().then(() => audit.write(event('b')));
  const audit = await openAuditLog(file, { log: { ...log, info }, clock });
  await rename(join(directory, 'log'), join(directory, 'gone'));
  clock.advance(1_000);
  audit.write(event('a'));
  await expect.poll(() => logged.length).toBe(1);
  await mkdir(join(directory, 'log'));
  await expect
    .poll(() => {
      clock.advance(1_000);
      return names();
    })
    .toEqual(['a', 'b']);
  await audit.close();
});

test('a close does not wait for a permanently failing disk, and reports the lost lines', async () => {
  const log = await open();
  await rm(join(directory, 'log'), { recursive: true });
  clock.advance(1_000);
  log.write(event('a'));
  await expect.poll(() => logged.length).toBe(1);
  await log.close();
  expect(logged.at(-1)).toMatchObject({ level: 'error', message: 'audit lines could not be written and are lost' });
});

test('memory is bounded while nothing can be written', async () => {
  const log = await open();
  await rm(join(directory, 'log'), { recursive: true });
  clock.advance(1_000);
  for (let n = 0; n < 100; n += 1) log.write(event('x'.repeat(128 * 1024)));
  await log.close();
  expect(Number(logged.at(-1)?.fields['bytes'])).toBeLessThanOrEqual(8 * 1024 * 1024);
});

test('stdout gets whole lines', async () => {
  const lines: string[] = [];
  const log = await openAuditLog('stdout', { log: keptLog(logged).log, clock, stdout: { write: (text) => lines.push(text) } });
  log.write(event('a'));
  await log.close();
  expect(lines).toEqual([`${JSON.stringify(event('a'))}\n`]);
});
