// The npm package as users install it: packed, installed into an empty directory, run without a checkout, and in the image that the Dockerfile
// makes of it. Skipped aloud where npm cannot reach its registry.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type Docker from 'dockerode';
import { projectDirectory } from '../../server/installation.ts';
import { startDocker, TEST_IMAGE, withoutDocker, type DockerEngine } from '../../server/testing/docker-engine.ts';

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), 'svc-package-'));
const INSTALL = ['install', '--omit=dev', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'];
/** Error codes of npm when its registry cannot be reached. Every other failed install is a defect of the package. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ERR_SOCKET_TIMEOUT'],
]);
let installed = false;
const servers: ChildProcess[] = [];

/** The checkout of an operator: this one, with a file of secrets beside the compose file. */
function operatorCheckout(): string {
  const checkout = join(directory, 'checkout');
  mkdirSync(checkout);
  for (const entry of readdirSync(projectDirectory(), { withFileTypes: true })) {
    const [from, to] = [join(projectDirectory(), entry.name), join(checkout, entry.name)];
    if (entry.isFile() || ['scripts', 'resources'].includes(entry.name)) cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
  writeFileSync(join(checkout, 'resources/deploy/docker/.env'), 'SVC_SECRET_ENCRYPTION_KEY=a-secret\n');
  return checkout;
}

beforeAll(async () => {
  await run(process.execPath, ['scripts/pack.mjs', '--to', directory], { cwd: operatorCheckout() });
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

test('an installed package contains no settings of its builder', ({ skip }) => {
  if (!installed) skip('npm could not reach its registry');
  const folder = join(directory, 'node_modules/agent-orchestration-service/resources/deploy/docker');
  expect(readdirSync(folder).filter((name) => name.startsWith('.env'))).toEqual(['.env.example']);
});

/** The last stage of the Dockerfile over a base of this machine's Node and busybox; its package is the one installed above. */
async function buildImage({ client }: DockerEngine, name: string): Promise<void> {
  const context = join(directory, 'context');
  const base = join(context, 'base');
  const { stdout } = await run('ldd', [process.execPath]);
  const libraries = stdout.match(/\/\S+/g) ?? [];
  for (const [from, to] of [[process.execPath, '/usr/local/bin/node'], ...libraries.map((path) => [path, path])] as [string, string][]) {
    mkdirSync(dirname(join(base, to)), { recursive: true });
    copyFileSync(from, join(base, to));
  }
  for (const folder of ['usr/bin', 'var/lib']) mkdirSync(join(base, folder), { recursive: true });
  symlinkSync('/bin/busybox', join(base, 'usr/bin/env'));
  cpSync(join(directory, 'node_modules'), join(context, 'app/node_modules'), { recursive: true, verbatimSymlinks: true });
  const dockerfile = readFileSync(join(projectDirectory(), 'resources/deploy/docker/Dockerfile'), 'utf8');
  const last = dockerfile.slice(dockerfile.lastIndexOf('FROM ${NODE_IMAGE}')).replace('${NODE_IMAGE}', 'base');
  const stages = `FROM ${TEST_IMAGE} AS base\nCOPY base /\nFROM base AS install\nCOPY app /app\n${last}`;
  writeFileSync(join(context, 'Dockerfile'), stages);
  const tar = spawn('tar', ['-C', context, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await client.buildImage(tar.stdout, { t: name, networkmode: 'none' });
  await new Promise<void>((resolve, reject) => {
    client.modem.followProgress(output, (error) => (error ? reject(error) : resolve()));
  });
}

/** Runs a program in a container to its end. */
async function inside(container: Docker.Container, Cmd: string[], Env: string[] = []) {
  const exec = await container.exec({ Cmd, Env, AttachStdout: true, AttachStderr: true, Tty: true });
  const stream = await exec.start({ Tty: true });
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(stream, 'end');
  return { code: (await exec.inspect()).ExitCode, text: text.trim() };
}

describe.skipIf(withoutDocker('the image of the Dockerfile'))('the image of the Dockerfile', () => {
  const IMAGE = 'svc-test-image:1';
  const TOKEN = 'image-test-token-0000000001';
  let docker: DockerEngine;
  beforeAll(async () => {
    docker = await startDocker();
    if (installed) await buildImage(docker, IMAGE);
  }, 300_000);
  afterAll(async () => {
    await docker.client
      .getImage(IMAGE)
      .remove({ force: true })
      .catch(() => undefined);
    await docker.stop();
  });

  test('serves without rights on a root that nobody can write, as a user without a name', { timeout: 120_000 }, async ({ skip }) => {
    if (!installed) skip('npm could not reach its registry');
    const container = await docker.client.createContainer({
      Image: IMAGE,
      Env: [`SVC_API_TOKENS=root:${TOKEN}:admin`],
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
        Tmpfs: { '/tmp': '' },
      },
    });
    try {
      await container.start();
      const [, ...check] = ((await container.inspect()).Config.Healthcheck?.Test ?? []) as [string, ...string[]];
      await expect.poll(async () => (await inside(container, check)).code, { timeout: 60_000 }).toBe(0);
      expect((await inside(container, ['id', '-u'])).text).toBe('65532');
      expect((await inside(container, ['touch', '/app/x'])).text).toContain('Read-only file system');
      const env = ['SVCCTL_SERVER=http://127.0.0.1:8080', `SVCCTL_API_TOKEN=${TOKEN}`];
      expect(await inside(container, ['svcctl', 'get', 'workers', '-o', 'name'], env)).toMatchObject({ code: 0 });
      await container.stop({ t: 30 });
      expect((await container.inspect()).State.ExitCode).toBe(0);
    } finally {
      await container.remove({ force: true, v: true });
    }
  });
});
