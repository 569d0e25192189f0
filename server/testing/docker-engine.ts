// A Docker engine for tests: the one that runs, else one of the test's own in a temporary directory, with a small image made from busybox. Needs root and Docker's programs.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { EngineFinder } from '../tools/isolation/docker/engine-finder.ts';

const run = promisify(execFile);
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;
const DEFAULT_SOCKET = '/var/run/docker.sock';
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'];
/** Busybox under all its names, and the variables PATH and IMAGE_SAYS. */
export const TEST_IMAGE = 'svc-test-busybox:1';

export interface DockerEngine {
  /** Value for DOCKER_HOST. */
  readonly host: string;
  readonly client: Docker;
  /** Containers of workers whose id begins like this, running or not: the engine may be shared. */
  ours(owner: string): Promise<string[]>;
  /** TEST_IMAGE again under another name, with lines of a Dockerfile such as `ENV A=b`. */
  addImage(name: string, lines: readonly string[]): Promise<void>;
  /** Ends the engine if it is the test's own, and removes its data. */
  stop(): Promise<void>;
}

/** For `describe.skipIf`: says aloud what is skipped and why; with CI set nothing is skipped, so a missing engine fails. */
export function withoutDocker(suite: string): boolean {
  const missing = missingRequirements();
  if (missing === undefined || process.env['CI']) return false;
  process.stderr.write(`SKIPPED ${suite}: ${missing}\n`);
  return true;
}

function missingRequirements(): string | undefined {
  if (!BUSYBOX.some((path) => existsSync(path))) return 'no busybox to make an image from (apt-get install busybox-static)';
  if (process.env['DOCKER_HOST'] || existsSync(DEFAULT_SOCKET)) return undefined;
  if (process.getuid?.() !== 0) return 'no Docker engine answers, and only root can start one';
  return dockerdPath() === undefined ? 'no Docker on this machine (apt-get install docker.io)' : undefined;
}

function dockerdPath(): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/bin'];
  return places.map((place) => join(place, 'dockerd')).find((path) => existsSync(path));
}

export async function startDocker(): Promise<DockerEngine> {
  const running = process.env['DOCKER_HOST'] ?? `unix://${DEFAULT_SOCKET}`;
  const own = (await answers(clientOf(running))) ? undefined : await startOwn();
  const host = own?.host ?? running;
  const client = clientOf(host);
  const { importImage, dispose } = await imageImporter(client);
  await importImage(TEST_IMAGE, ['ENV PATH=/bin', 'ENV IMAGE_SAYS=hello']);
  return {
    host,
    client,
    async ours(owner) {
      const containers = await client.listContainers({ all: true, filters: { label: ['svc.owner'] } });
      return containers.filter(({ Labels }) => Labels['svc.owner']?.startsWith(owner)).map(({ Id }) => Id);
    },
    addImage: importImage,
    async stop() {
      dispose();
      await own?.stop();
    },
  };
}

/** Finder of the engine at this value of DOCKER_HOST. */
export function finderAt(host: string): EngineFinder {
  return new EngineFinder({ env: { DOCKER_HOST: host }, platform: process.platform, home: '/nonexistent', uid: undefined });
}

const LATE_MS = 500;

export interface WayOptions {
  /** Requests that reach the engine late, by their first lines. */
  readonly late?: RegExp;
}

/** A way to an engine that can be cut, as when the engine or its client dies. */
export function cuttable(host: string, at: string, { late }: WayOptions = {}): { cut: () => void } {
  const ends = new Set<Socket>();
  const engine = new URL(host.replace(/^tcp:/, 'http:'));
  const through: Server = createServer((near) => {
    const far = engine.protocol === 'unix:' ? connect(engine.pathname) : connect(Number(engine.port), engine.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
    }
    far.pipe(near);
    near.on('data', (bytes: Buffer) => {
      if (late?.test(bytes.toString('latin1'))) setTimeout(() => far.write(bytes), LATE_MS);
      else far.write(bytes);
    });
    near.on('end', () => far.end());
  }).listen(at);
  return {
    cut() {
      through.close();
      for (const end of ends) end.destroy();
    },
  };
}

function clientOf(host: string): Docker {
  return host.startsWith('unix://') ? new Docker({ socketPath: host.slice('unix://'.length), host: '' }) : new Docker();
}

async function answers(client: Docker): Promise<boolean> {
  return client.ping().then(
    () => true,
    () => false,
  );
}

async function startOwn(): Promise<{ host: string; stop: () => Promise<void> }> {
  const program = dockerdPath();
  if (program === undefined) throw new Error('no Docker engine answers and dockerd is not installed (apt-get install docker.io)');
  const directory = mkdtempSync(join(tmpdir(), 'svc-docker-'));
  const host = `unix://${join(directory, 'docker.sock')}`;
  const places = ['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec'), '--pidfile', join(directory, 'pid')];
  // No bridge and no rules of the machine's firewall are touched; containerd is its own too.
  const flags = [...places, '--host', host, '--iptables=false', '--ip6tables=false', '--bridge=none', '--containerd', ''];
  const log: Buffer[] = [];
  const daemon = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  daemon.stderr.on('data', (line: Buffer) => log.push(line));
  const kill = () => daemon.kill('SIGTERM');
  process.once('exit', kill);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(clientOf(host)))) {
    if (daemon.exitCode !== null || Date.now() > deadline) {
      throw new Error(`dockerd did not start: ${Buffer.concat(log).toString().slice(-2_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    host,
    async stop() {
      process.removeListener('exit', kill);
      await ended(daemon);
      await removeTree(directory);
    },
  };
}

async function ended(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const exit = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  const patience = setTimeout(() => daemon.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(patience);
}

/** dockerd leaves mounts behind when it ends. */
async function removeTree(directory: string): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ', 2)[1] ?? [])
    .filter((path) => path.startsWith(`${directory}/`));
  for (const mount of mounts.reverse()) await run('umount', ['--lazy', mount]).catch(() => undefined);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** A root directory of one static program under all its names. */
async function imageImporter(client: Docker): Promise<{ importImage: DockerEngine['addImage']; dispose: () => void }> {
  const busybox = BUSYBOX.find((path) => existsSync(path));
  if (busybox === undefined) throw new Error('no busybox to make an image from (apt-get install busybox-static)');
  const directory = mkdtempSync(join(tmpdir(), 'svc-image-'));
  const root = join(directory, 'root');
  const tar = join(directory, 'root.tar');
  for (const folder of ['bin', 'etc', 'tmp', 'proc', 'dev', 'sys']) mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(busybox, join(root, 'bin/busybox'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n');
  const { stdout } = await run(busybox, ['--list']);
  for (const name of stdout.split('\n').filter((name) => name !== '' && name !== 'busybox'))
    symlinkSync('busybox', join(root, 'bin', name));
  await run('tar', ['-C', root, '-cf', tar, '.']);
  return {
    async importImage(name, lines) {
      const present = await client
        .getImage(name)
        .inspect()
        .catch(() => undefined);
      if (present) return;
      // Podman 4 ignores `tag`.
      const output = await client.importImage(createReadStream(tar), { repo: name, changes: lines });
      for await (const _ of output);
    },
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}
