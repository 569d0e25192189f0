// The npm package as users install it: packed, installed into an empty directory, run without a checkout. Skipped aloud where npm cannot reach its registry.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectDirectory } from '../../server/installation.ts';

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), 'svc-package-'));
const INSTALL = ['install', '--omit=dev', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'];
/** Error codes of npm when its registry cannot be reached. Every other failed install is a defect of the package. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ERR_SOCKET_TIMEOUT'],
]);
let installed = false;
const servers: ChildProcess[] = [];

beforeAll(async () => {
  await run(process.execPath, ['scripts/pack.mjs', '--to', directory], { cwd: projectDirectory() });
  const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? '';
  rmSync(join(directory, 'package'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"private": true}\n');
  installed = await run('npm', [...INSTALL, `./${tarball}`], { cwd: directory }).then(
    () => true,
    (error: unknown) => {
      const code = npmCode(error);
      if (!UNREACHABLE.has(code)) throw error;
      console.warn(`SKIPPED: the npm package was not installed, because npm could not reach its registry (${code})`);
      return false;
    },
  );
}, 300_000);

afterAll(async () => {
  for (const server of servers) {
    const ended = once(server, 'exit');
    if (server.exitCode === null && server.kill('SIGTERM')) await ended;
  }
  rmSync(directory, { recursive: true, force: true });
});

/** Code in the error report of npm, `npm error code ENOTFOUND`; npm 9 writes ERR!. */
function npmCode(error: unknown): string {
  const { stderr = '' } = error as { readonly stderr?: string };
  return /^npm (?:error|ERR!) code (\S+)$/m.exec(stderr)?.[1] ?? '';
}

const program = (name: string): string => join(directory, 'node_modules', '.bin', name);
const env = (more: Record<string, string> = {}) => ({ PATH: process.env['PATH'], HOME: directory, ...more });

async function startServer(): Promise<string> {
  const server = spawn(program('svcd'), ['--addr', '127.0.0.1:0', '--data-dir', join(directory, 'data')], {
    cwd: directory,
    env: env(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  servers.push(server);
  const lines = createInterface({ input: server.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return /http:\/\/[\d.:]+/.exec(line)?.[0] ?? line;
}

test('an installed package serves the console and runs a blueprint on the mock model', { timeout: 120_000 }, async ({ skip }) => {
  if (!installed) skip('npm could not reach its registry');
  const url = await startServer();
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  const script = /src="(\/?[^"]*assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? '';
  expect(page.status).toBe(200);
  const code = await fetch(new URL(script, url));
  expect(code.status).toBe(200);
  // Read to its end: an unread body keeps its connection open.
  expect(await code.text()).not.toBe('');

  const work = join(directory, 'work');
  mkdirSync(work);
  const svcctl = (...args: string[]) => run(program('svcctl'), args, { cwd: work, env: env({ SVCCTL_SERVER: url }) });
  await svcctl('init', 'single-agent');
  await svcctl('apply', '-f', 'single-agent');
  const { stdout } = await svcctl('run', 'single-agent', '--quiet', '--input', 'question=What is a tide?');
  expect(stdout).toContain('A control plane keeps the wanted state');
});

test('an installed package contains no types, source maps or compiler', ({ skip }) => {
  if (!installed) skip('npm could not reach its registry');
  const folder = join(directory, 'node_modules', 'agent-orchestration-service');
  const files = readdirSync(folder, { recursive: true }).map(String);
  expect(files.filter((path) => /\.d\.[cm]?ts$|\.map$|\.test\.|tsbuildinfo/.test(path))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'bundled-licences.txt', 'console/index.html']));
  expect(existsSync(join(directory, 'node_modules', 'typescript'))).toBe(false);
});
