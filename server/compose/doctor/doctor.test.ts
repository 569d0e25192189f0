import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../app.ts';
import { describeFlags, parseInvocation } from '../../config.ts';
import { createLogger } from '../../log/log.ts';
import { examine } from './doctor.ts';
import { SETTINGS } from './settings.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const KEY = 'ab'.repeat(32);
const TOKEN = 'a-token-of-more-than-twenty-characters';
const CLOSED = [
  '--audit-log=stdout',
  '--default-tool-verdict=deny',
  '--allow-private-model-endpoints=false',
  '--unisolated-cli-tools=never',
  '--tool-isolation-backend=none',
  '--allowed-images=registry.example/team/*',
  '--require-image-digests',
];
const OF_THIS_MACHINE = ['Node.js', 'open files'];
const CLOSED_ENV = { SVC_SECRET_ENCRYPTION_KEY: KEY, SVC_API_TOKENS: `ops:${TOKEN}:admin` };

async function doctor(argv: readonly string[], env: Record<string, string> = {}) {
  const invocation = parseInvocation(['doctor', `--data-dir=${dataDir}`, ...argv], env);
  if (invocation.kind !== 'examine') throw new Error(JSON.stringify(invocation));
  return examine(invocation.config, invocation);
}
const warned = async (argv: readonly string[], env: Record<string, string> = {}): Promise<string[]> => {
  const { findings } = JSON.parse((await doctor([...argv, '--output=json'], env)).text) as {
    findings: { name: string; warning?: string }[];
  };
  return findings.flatMap(({ name, warning }) => (warning === undefined || OF_THIS_MACHINE.includes(name) ? [] : [name]));
};

test('a closed server gets no warning', async () => {
  expect(await warned(CLOSED, CLOSED_ENV)).toEqual([]);
});

test.each([
  [['--addr=0.0.0.0:8080'], '--addr'],
  [['--allow-unauthenticated'], '--allow-unauthenticated'],
  [['--trusted-proxies=0.0.0.0/0'], '--trusted-proxies'],
  [['--cors-origins=*'], '--cors-origins'],
  [['--audit-log='], '--audit-log'],
  [['--default-tool-verdict=allow'], '--default-tool-verdict'],
  [['--allow-private-tool-endpoints'], '--allow-private-tool-endpoints'],
  [['--allow-private-model-endpoints'], '--allow-private-model-endpoints'],
  [['--unisolated-cli-tools=admin'], '--unisolated-cli-tools'],
  [['--container-network=tools'], '--container-network'],
  [['--allowed-container-networks=tools'], '--allowed-container-networks'],
  [['--allowed-images=*'], '--allowed-images'],
  [['--container-disk-max=0'], '--container-disk-max'],
  [['--require-image-digests=false'], '--require-image-digests'],
  [['--require-image-digests=false', '--tool-container-image=registry.example/team/x'], '--tool-container-image'],
  [['--max-requests-per-second=0'], '--max-requests-per-second'],
  [['--enable-kubernetes-isolation'], '--enable-kubernetes-isolation'],
])('%j is named as loose', async (argv, name) => {
  expect(await warned([...CLOSED, ...argv], CLOSED_ENV)).toContain(name);
});

test('missing keys and tokens and short tokens are named', async () => {
  expect(await warned(CLOSED, { ...CLOSED_ENV, SVC_SECRET_ENCRYPTION_KEY: '' })).toContain('--secret-encryption-key');
  expect(await warned([...CLOSED, '--addr=0.0.0.0:1'], { SVC_SECRET_ENCRYPTION_KEY: KEY })).toContain('SVC_API_TOKENS');
  expect(await warned(CLOSED, { ...CLOSED_ENV, SVC_API_TOKENS: 'ops:short:admin' })).toContain('SVC_API_TOKENS');
});

test.each<[string, readonly string[], Record<string, string>, boolean]>([
  ['no token on an open address', ['--addr=0.0.0.0:0'], {}, true],
  ['a short token on an open address', ['--addr=0.0.0.0:0'], { SVC_API_TOKEN: 'short' }, true],
  ['a malformed token', [], { SVC_API_TOKENS: 'ops:only-two-fields' }, true],
  ['a long token on an open address', ['--addr=0.0.0.0:0'], { SVC_API_TOKEN: TOKEN }, false],
  ['users on an open address', ['--addr=0.0.0.0:0', '--auth-mode=native'], {}, false],
  ['an open address by flag', ['--addr=0.0.0.0:0', '--allow-unauthenticated'], {}, false],
  ['no token on loopback', ['--addr=127.0.0.1:0'], {}, false],
])('%s fails exactly where a server refuses to start', async (_title, argv, env, refused) => {
  const { text, exitCode } = await doctor([...argv, '--tool-isolation-backend=none'], env);
  expect(exitCode).toBe(refused ? 1 : 0);
  const directory = mkdtempSync(join(tmpdir(), 'svc-doctor-start-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const serving = parseInvocation([`--data-dir=${directory}`, '--embedded-worker=false', ...argv], env);
  if (serving.kind !== 'serve') throw new Error('these flags start no server');
  const outcome = await startServer(serving.config, createLogger({ level: 'silent', format: 'json' })).then(
    (server) => server.stop().then(() => 'started'),
    (error: Error) => error.message,
  );
  if (refused) expect(text.replace(/\s+/g, ' ')).toContain(outcome);
  else expect(outcome).toBe('started');
});

test('a database that does not answer is a failure, and its password is not printed', async () => {
  const { text, exitCode } = await doctor(['--database-url=postgres://svc:hidden-password@127.0.0.1:1/svc'], CLOSED_ENV);
  expect(exitCode).toBe(1);
  expect(text).toContain('nothing answers at its address');
  for (const secret of ['hidden-password', KEY, TOKEN]) expect(text).not.toContain(secret);
});

test('a database URL that cannot be parsed is a failure, and is not printed', async () => {
  const { text, exitCode } = await doctor(['--database-url', 'postgres://u:pass-word@[']);
  expect([exitCode, text]).toEqual([1, expect.stringContaining('its URL cannot be parsed')]);
  expect(text).not.toContain('pass-word');
});

test('the table fits 80 columns, and warnings fail only with --strict', async () => {
  const long = '--allowed-images=*,registry.example/a-rather-long-team-name/with-a-path/*,other.example/*';
  const { text, exitCode } = await doctor([long, '--tool-isolation-backend=none']);
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(exitCode).toBe(0);
  expect(await doctor([long, '--strict', '--tool-isolation-backend=none'])).toMatchObject({ exitCode: 1 });
});

test('every row is a flag or a variable of the server', () => {
  const { server } = describeFlags();
  const known = new Set([...server.map(({ flag }) => flag.split(' ')[0]), 'SVC_API_TOKENS']);
  expect(SETTINGS.map(({ flag }) => flag).filter((flag) => !known.has(flag))).toEqual([]);
});

test('a stray argument and an unknown format are refused', () => {
  expect(parseInvocation(['doctor', 'now'], {})).toMatchObject({ kind: 'exit', code: 2 });
  expect(parseInvocation(['doctor', '--output=yaml'], {})).toMatchObject({ kind: 'exit', code: 2 });
});
