// `svcctl decisions` against a real HTTP front: export, and a check that finds out what was changed, with the server or without it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionDraft } from '@svc/shared/decision-record';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { createDecisionLog } from '../../decisions/decision-log.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';
import { startSvcctl, type CliOptions } from '../../testing/run-svcctl.ts';

let server: HttpFixture;
let cwd: string;
let lines: string[];
const svcctl = (argv: readonly string[], options: CliOptions = {}) =>
  startSvcctl(argv, { cwd, env: { SVCCTL_SERVER: server.url } }, options).done;
const offline = { env: { SVCCTL_SERVER: 'http://127.0.0.1:1' } };
const verify = (file: string, ...more: string[]) =>
  svcctl(['decisions', 'verify', '-f', file, '--public-key', 'key.pem', ...more], offline);

const draft = (n: number): DecisionDraft => ({
  timestamp: '2026-01-02T03:04:05.006Z',
  type: 'tool',
  approval: { kind: 'ToolApproval', namespace: 'default', name: `a-${n}`, uid: `u-${n}` },
  task: { namespace: 'default', name: 'task', uid: 't' },
  tool: 'default/mail',
  decision: n === 2 ? 'expired' : 'approved',
  proposed_input: { to: `\u001b[2J${n}` },
  rule: { kind: 'ToolPermission', namespace: 'default', name: 'mails', path: 'spec.operation_rules[1]' },
  ...(n !== 2 && { decider: { name: 'ann', method: 'bearer', on_behalf_of: 'bob' } }),
});

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svcctl-decisions-'));
  server = await startHttpFixture();
  const log = createDecisionLog({ store: server.store, secretBox: createSecretBox(), clock: systemClock });
  await log.prepare();
  for (const n of [1, 2, 3]) await server.store.transaction((tx) => log.record(tx, draft(n)));
  const exported = await svcctl(['decisions', 'export']);
  lines = exported.out.trim().split('\n');
  await writeFile(join(cwd, 'export.jsonl'), exported.out);
  await writeFile(join(cwd, 'key.pem'), (await svcctl(['decisions', 'key'])).out);
  await writeFile(join(cwd, 'list.json'), (await svcctl(['decisions', 'list', '-o', 'json'])).out);
});
afterAll(async () => {
  await server.close();
  await rm(cwd, { recursive: true });
});

test('list prints a line for each record, and show prints all of one', async () => {
  const { out } = await svcctl(['decisions', 'list']);
  expect(out.replaceAll(/ {2,}/g, ' | ').split('\n').slice(0, 3)).toEqual([
    'SEQ | TIME | DECISION | TYPE | APPROVAL | TASK | TOOL | BY',
    '1 | 2026-01-02T03:04:05Z | approved | tool | default/a-1 | default/task | default/mail | ann',
    '2 | 2026-01-02T03:04:05Z | expired | tool | default/a-2 | default/task | default/mail | -',
  ]);
  expect((await svcctl(['decisions', 'list', '--approval', 'a-3', '-o', 'name'])).out).toBe('3\n');
  expect((await svcctl(['decisions', 'list', '--limit', '1', '-o', 'name'])).out).toBe('1\n');
  const shown = (await svcctl(['decisions', 'show', '1'])).out;
  expect(shown).toMatch(/^Decided by: +ann \(signed in by bearer\), on behalf of bob$/m);
  expect(shown).toMatch(/^Asked by: +ToolPermission default\/mails spec\.operation_rules\[1\]$/m);
  expect(shown).not.toContain('\u001b');
  expect((await svcctl(['decisions', 'show', '9'])).code).toBe(5);
});

describe('verify', () => {
  test('verify of the server reports that every record is whole, with the key it used', async () => {
    const { code, out, err } = await svcctl(['decisions', 'verify']);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^Records 1 to 3 are whole; the newest has hash sha256:[0-9a-f]{64}\.\n$/),
    });
    expect(err).toMatch(new RegExp(`^Checked with key sha256:[0-9a-f]{16} of the server ${server.url}\\.\n$`));
  });

  test.each(['export.jsonl', 'list.json'])('of %s needs no server', async (file) => {
    expect(await verify(file)).toMatchObject({ code: 0, err: expect.stringContaining('from key.pem') });
    const stdin = await readFile(join(cwd, file), 'utf8');
    expect((await svcctl(['decisions', 'verify', '-f', '-', '--public-key', 'key.pem'], { ...offline, stdin })).code).toBe(0);
  });

  test.each<[string, (all: string[]) => string[], RegExp]>([
    ['changed', ([a = '', ...rest]) => [a.replace('approved', 'declined'), ...rest], /record 1 was changed/],
    ['left out', ([a = '', , c = '']) => [a, c], /record 2 is missing: record 3 follows instead/],
    ['cut', ([a = '']) => [a, '{"seq":2,'], /changed\.jsonl:2 is not JSON/],
  ])('finds a record that was %s: exit code 1', async (_, tamper, message) => {
    await writeFile(join(cwd, 'changed.jsonl'), tamper(lines).join('\n'));
    expect(await verify('changed.jsonl')).toMatchObject({ code: 1, err: expect.stringMatching(message) });
  });

  test('verify with a hash of a missing record reports that the newest records were cut off', async () => {
    const head = (JSON.parse((await verify('export.jsonl', '-o', 'json')).out) as { head: string }).head;
    await writeFile(join(cwd, 'cut.jsonl'), lines.slice(0, 2).join('\n'));
    expect((await verify('cut.jsonl')).code).toBe(0);
    expect((await verify('export.jsonl', '--head', head)).code).toBe(0);
    const cut = await verify('cut.jsonl', '--head', head, '-o', 'json');
    expect({ code: cut.code, ...JSON.parse(cut.out) }).toMatchObject({ code: 1, valid: false, records: 2, broken: { fault: 'cut' } });
  });

  test('verify with a file that is not a key reports the file', async () => {
    const wrong = await svcctl(['decisions', 'verify', '-f', 'export.jsonl', '--public-key', 'list.json'], offline);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('list.json holds no public key') });
  });
});

describe('verify of a server whose database was written to', () => {
  let changed: HttpFixture;
  beforeEach(async () => {
    changed = await startHttpFixture();
    const log = createDecisionLog({ store: changed.store, secretBox: createSecretBox(), clock: systemClock });
    await log.prepare();
    for (const n of [1, 2, 3]) await changed.store.transaction((tx) => log.record(tx, draft(n)));
  });
  afterEach(() => changed.close());

  const check = (...more: string[]) => startSvcctl(['decisions', 'verify', ...more], { cwd, env: { SVCCTL_SERVER: changed.url } }, {}).done;
  const removeRecord = (seq: number) =>
    changed.store.transaction((tx) => tx.deleteDocument('decision.records', String(seq).padStart(16, '0')));

  test('detects a missing newest record from the head that the server keeps', async () => {
    await removeRecord(3);
    const { code, err } = await check();
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('error: the server notes record 3 as its newest, and it is not there: the newest records were cut off'),
    });
    expect(JSON.parse((await check('-o', 'json')).out)).toMatchObject({
      valid: false,
      records: 2,
      broken: { fault: 'cut' },
      end_proven: false,
    });
  });

  test('detects missing newest records from an approval that refers to one', async () => {
    const spec = { task_ref: 'task', tool: 'mail' };
    const at = '2026-01-02T03:04:05.000Z';
    const meta = { uid: 'u-3', resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: at, updatedAt: at };
    const status = { phase: 'Approved', decision: 'approved', decision_record: 3 };
    await changed.store.transaction(async (tx) => {
      await tx.insertObject({ kind: 'ToolApproval', namespace: 'other', name: 'a-3', ...meta, spec, status });
      const second = await tx.getDocument('decision.records', String(2).padStart(16, '0'));
      await tx.putDocument('decision.chain', 'head', { seq: 2, hash: second?.['hash'] });
    });
    await removeRecord(3);
    expect(await check()).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'error: ToolApproval other/a-3 was decided by record 3, which is not there: the newest records were cut off',
      ),
    });
  });
});
