// svcd rotate-secrets as operators run it: beside servers on PostgreSQL, and on an embedded database.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres } from '../../server/testing/postgres-server.ts';
import { startServerProcess, startWorkerProcess, type ServerOptions, type ServerProcess } from '../../server/testing/server-process.ts';

const OLD = 'ab'.repeat(32);
const NEW = 'cd'.repeat(32);
const svcd = join(import.meta.dirname, '..', '..', 'server', 'dist', 'bin', 'svcd.js');
const keys = (...list: string[]) => ({ SVC_SECRET_ENCRYPTION_KEY: list.join(',') });

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(options: ServerOptions): Promise<ServerProcess> {
  const server = await startServerProcess(options);
  cleanups.push(() => server.end());
  return server;
}

async function rotate(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [svcd, 'rotate-secrets', ...args], { env: { PATH: process.env['PATH'], ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

async function send({ url }: { readonly url: string }, ...[method, path, body]: [string, string, object?]): Promise<any> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const given = body && { headers: { 'content-type': type }, body: JSON.stringify(body) };
  return (await fetch(`${url}${path}`, { method, ...given })).json();
}

const secret = (name: string) => ({ metadata: { name }, spec: { stringData: { value: `value of ${name}` } } });
const readiness = async ({ url }: ServerProcess) => {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as { checks: { name: string; ok: boolean }[] };
  return checks.filter(({ ok }) => !ok).map(({ name }) => name);
};

test.skipIf(withoutPostgres('rotation of keys'))('servers and workers on PostgreSQL go on while the key is replaced', async () => {
  const postgres = await startPostgres();
  cleanups.push(() => postgres.remove());
  const databaseUrl = await postgres.createDatabase();
  const first = await serve({ databaseUrl, env: keys(OLD) });
  for (let n = 0; n < 20; n += 1) await send(first, 'POST', '/v1/secrets', secret(`s-${n}`));
  const decisionKey = await send(first, 'GET', '/v1/decisions/key');
  const second = await serve({ databaseUrl, env: keys(NEW, OLD) });
  const worker = await startWorkerProcess({ databaseUrl, args: ['--worker-id', 'w'], env: keys(NEW, OLD) });
  cleanups.push(() => worker.end());
  // Both servers write beside each other before the rotation, as the store's key decides.
  await send(second, 'POST', '/v1/secrets', secret('late'));
  const versions = async () => (await send(second, 'GET', '/v1/secrets')).map(({ metadata }: any) => metadata.resourceVersion);
  const before = await versions();

  const rotation = await rotate([], { SVC_DATABASE_URL: databaseUrl, ...keys(NEW, OLD) });
  expect(rotation).toEqual({
    code: 0,
    out: expect.stringMatching(/^21 Secrets read, 21 re-encrypted\nRe-encrypted 21 of 21 Secrets with key \w{16}; .*no longer needed\.\n$/),
    err: '',
  });
  expect(rotation.out).not.toMatch(new RegExp(`${OLD}|${NEW}`));
  expect(await versions()).toEqual(before);
  expect([await readiness(first), await readiness(second)]).toEqual([['secrets'], []]);
  expect(await send(first, 'POST', '/v1/secrets', secret('refused'))).toMatchObject({ error: { code: 'unavailable' } });

  const last = await serve({ databaseUrl, env: keys(NEW) });
  const patched = await send(last, 'PATCH', '/v1/secrets/s-7', { spec: { stringData: { more: 'x' } } });
  expect(patched.spec.data).toEqual({ value: '***', more: '***' });
  expect(await send(last, 'GET', '/v1/decisions/key')).toEqual(decisionKey);
  expect(await send(last, 'GET', '/v1/decisions/head')).toMatchObject({ seq: 0, authenticated: true });
  expect((await rotate([], { SVC_DATABASE_URL: databaseUrl, ...keys(NEW) })).out).toContain('Re-encrypted 0 of 21 Secrets');
});

describe('embedded database', () => {
  const directory = () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svcd-rotate-'));
    cleanups.unshift(() => Promise.resolve(rmSync(dataDir, { recursive: true, force: true })));
    return dataDir;
  };

  test('is moved to the new key by the first server that starts with it', async () => {
    const dataDir = directory();
    const old = await serve({ dataDir, env: keys(OLD) });
    await send(old, 'POST', '/v1/secrets', secret('s'));
    const refused = await rotate(['--data-dir', dataDir], keys(NEW, OLD));
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^svcd: another server is using the database .* itself when it starts with the new key first\)\n$/);
    await old.end();
    const both = await serve({ dataDir, env: keys(NEW, OLD) });
    expect(both.log.map(({ msg }) => String(msg)).join('\n')).toContain('Re-encrypted 1 of 1 Secrets');
    await both.end();
    const fresh = await serve({ dataDir, env: keys(NEW) });
    expect((await send(fresh, 'PATCH', '/v1/secrets/s', { spec: { stringData: { more: 'x' } } })).spec.data).toEqual({
      value: '***',
      more: '***',
    });
    expect(await readiness(fresh)).toEqual([]);
  });

  test('is moved by the command while no server uses it', async () => {
    const dataDir = directory();
    const old = await serve({ dataDir, env: keys(OLD) });
    await send(old, 'POST', '/v1/secrets', secret('s'));
    await old.end();
    expect(await rotate(['--data-dir', dataDir], keys(NEW))).toMatchObject({
      code: 1,
      err: expect.stringContaining('but this process has key'),
    });
    expect(await rotate(['--data-dir', dataDir], keys(NEW, OLD))).toMatchObject({
      code: 0,
      out: expect.stringContaining('Re-encrypted 1 of 1'),
    });
    await serve({ dataDir, env: keys(NEW) });
  });

  test.each([
    ['no key', [], {}, /^error: option '--secret-encryption-key' is required/],
    ['an invalid key', [], keys('short'), /^svcd: --secret-encryption-key must be 256 bits/],
    [
      'a directory without a database',
      ['--data-dir', '/nonexistent'],
      keys(NEW),
      /^svcd: option --data-dir: there is no database in \/nonexistent/,
    ],
    ['an unknown flag', ['--nonsense'], keys(NEW), /--nonsense/],
  ])('is not touched by the command with %s: exit code 2 and one sentence', async (_case, args, env, message) => {
    const { code, out, err } = await rotate(args, env);
    expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 });
    expect(err).toMatch(message);
  });
});
