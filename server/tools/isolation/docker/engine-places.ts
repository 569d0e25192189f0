// Addresses of container engines on this machine, in the order of attempts: the operator's choice, then the sockets of known products. Contacts no engine.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { posix } from 'node:path';
import { isObject } from '@svc/shared/json';

export interface EngineSurroundings {
  /** Environment of the process: DOCKER_HOST, DOCKER_CONTEXT, DOCKER_CONFIG, XDG_RUNTIME_DIR, TMPDIR, COLIMA_HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly uid: number | undefined;
}

/** Surroundings of this process, with an environment that the configuration has read. */
export function ownSurroundings(env: EngineSurroundings['env']): EngineSurroundings {
  return { env, home: homedir(), platform: process.platform, uid: process.getuid?.() };
}

export interface EnginePlace {
  /** Source of the place, as in "Podman answers": a product, `DOCKER_HOST` or a Docker context. */
  readonly by: string;
  /** Path of a socket or a named pipe; absent: the client reads DOCKER_HOST. */
  readonly socket?: string;
  /** How a person starts the engine. */
  readonly start: string;
  /** Chosen by the operator: no other place is tried after it. */
  readonly only?: boolean;
  /** Reason why the service cannot use it. */
  readonly unusable?: string;
}

const CONFIG_MAX_BYTES = 64 * 1024;
const CONTEXT_NAME = /^[\w.+-]{1,128}$/;
const DOCKER_START: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'systemctl start docker',
  darwin: 'open Docker Desktop',
  win32: 'open Docker Desktop',
};
const PODMAN_USER_START = 'systemctl --user enable --now podman.socket';

const dockerStart = (platform: NodeJS.Platform) => DOCKER_START[platform] ?? 'start Docker';

/** Never rejects: a Docker configuration that cannot be read names no place. */
export async function enginePlaces(around: EngineSurroundings): Promise<EnginePlace[]> {
  const { DOCKER_HOST: host } = around.env;
  if (host) return [named(host)];
  const context = await contextPlace(around);
  const known = productPlaces(around).filter(({ socket }) => socket !== context?.socket);
  return context ? [context, ...known] : known;
}

function named(host: string): EnginePlace {
  const start = 'start the engine that it names, correct it, or unset it to have this machine searched';
  const socket = socketOf(host);
  return { by: 'DOCKER_HOST', start, only: true, ...(socket !== undefined && { socket }) };
}

/** Path in a host of the forms `unix://…`, `npipe://…` and a bare path. */
function socketOf(host: string): string | undefined {
  if (host.startsWith('unix://')) return host.slice('unix://'.length);
  if (host.startsWith('npipe://')) return host.slice('npipe://'.length).replace(/^\/*/, '//');
  return host.startsWith('/') ? host : undefined;
}

/** Place of the current Docker context; undefined for the default one. */
async function contextPlace({ env, home, platform }: EngineSurroundings): Promise<EnginePlace | undefined> {
  const folder = env['DOCKER_CONFIG'] || posix.join(home, '.docker');
  const name = env['DOCKER_CONTEXT'] || (await readJson(posix.join(folder, 'config.json')))?.['currentContext'];
  if (typeof name !== 'string' || !CONTEXT_NAME.test(name) || name === 'default') return undefined;
  const id = createHash('sha256').update(name).digest('hex');
  const meta = await readJson(posix.join(folder, 'contexts', 'meta', id, 'meta.json'));
  const endpoints = meta?.['Endpoints'];
  const docker = isObject(endpoints) ? endpoints['docker'] : undefined;
  const host = isObject(docker) ? docker['Host'] : undefined;
  if (typeof host !== 'string') return undefined;
  const place = { by: `the Docker context ${name}`, start: dockerStart(platform) };
  const socket = socketOf(host);
  if (socket !== undefined) return { ...place, socket };
  return { ...place, unusable: 'is not a local socket; set DOCKER_HOST to use an engine of another machine' };
}

async function readJson(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CONFIG_MAX_BYTES), 0, CONFIG_MAX_BYTES, 0);
      const value: unknown = JSON.parse(buffer.subarray(0, bytesRead).toString());
      return isObject(value) ? value : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Sockets that products make, by platform. Source: the documentation of each product. */
function productPlaces({ env, platform, home, uid }: EngineSurroundings): EnginePlace[] {
  if (platform === 'win32') return windowsPlaces();
  const inHome = (by: string, path: string, start: string): EnginePlace => ({ by, socket: posix.join(home, path), start });
  const docker = dockerStart(platform);
  const system: EnginePlace = { by: 'Docker', socket: '/var/run/docker.sock', start: docker };
  const colima = posix.join(env['COLIMA_HOME'] || posix.join(home, '.colima'), 'default/docker.sock');
  const common = [
    { by: 'Colima', socket: colima, start: 'colima start' },
    inHome('Rancher Desktop', '.rd/docker.sock', 'open Rancher Desktop, and choose dockerd (moby) as its engine'),
  ];
  if (platform === 'darwin') {
    const machine = 'podman machine start';
    return [
      inHome('Docker Desktop', '.docker/run/docker.sock', docker),
      system,
      inHome('OrbStack', '.orbstack/run/docker.sock', 'open OrbStack'),
      ...common,
      inHome('Podman', '.local/share/containers/podman/machine/podman.sock', machine),
      { by: 'Podman', socket: posix.join(env['TMPDIR'] || '/tmp', 'podman/podman-machine-default-api.sock'), start: machine },
    ];
  }
  const runtime = env['XDG_RUNTIME_DIR'] || `/run/user/${uid ?? 0}`;
  return [
    { by: 'Docker (rootless)', socket: posix.join(runtime, 'docker.sock'), start: 'systemctl --user start docker' },
    inHome('Docker Desktop', '.docker/run/docker.sock', docker),
    system,
    inHome('Docker Desktop', '.docker/desktop/docker.sock', 'open Docker Desktop'),
    { by: 'Podman', socket: posix.join(runtime, 'podman/podman.sock'), start: PODMAN_USER_START },
    { by: 'Podman (root)', socket: '/run/podman/podman.sock', start: 'systemctl enable --now podman.socket' },
    ...common,
  ];
}

function windowsPlaces(): EnginePlace[] {
  return [
    { by: 'Docker Desktop', socket: '//./pipe/docker_engine', start: dockerStart('win32') },
    { by: 'Podman', socket: '//./pipe/podman-machine-default', start: 'podman machine start' },
  ];
}

/** Sentence for a machine where no place has a socket. */
export function searchedSentence(places: readonly EnginePlace[], platform: NodeJS.Platform): string {
  const products = [...new Set(places.map(({ by }) => by.replace(/ \(.*\)$/, '')))].join(', ');
  const example = platform === 'linux' ? `, such as “${PODMAN_USER_START}”` : '';
  return `none of ${products} has a socket here; install and start one of them${example}, or set DOCKER_HOST`;
}
