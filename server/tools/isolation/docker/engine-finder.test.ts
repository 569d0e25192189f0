import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { callFailure } from '../../../testing/tool-deps.ts';
import { EngineFinder } from './engine-finder.ts';
import { enginePlaces, type EngineSurroundings } from './engine-places.ts';

/** Finder in the test's own home directory: engines of this machine are out of its reach. */
const finderOf = (surroundings: EngineSurroundings) =>
  new EngineFinder(surroundings, async (given) =>
    (await enginePlaces(given)).filter(
      ({ socket, only }) => only || socket === undefined || socket.startsWith('//') || socket.startsWith(home),
    ),
  );

const asking = { clock: systemClock, what: 'a test' };
let home: string;
let servers: Server[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-home-'));
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  rmSync(home, { recursive: true, force: true });
});

const around = (env: EngineSurroundings['env'] = {}, platform: NodeJS.Platform = 'linux'): EngineSurroundings => ({
  env: { XDG_RUNTIME_DIR: join(home, 'run'), ...env },
  platform,
  home,
  uid: 1000,
});

/** Engine at a path below the home directory, with what it reports about itself. */
async function engineAt(
  path: string,
  reports: Readonly<Record<string, unknown>> = {},
  ping: RequestListener = (_, reply) => reply.end('OK'),
) {
  const socket = join(home, path);
  mkdirSync(dirname(socket), { recursive: true });
  const server = createServer((asked, reply) => {
    if (asked.url === '/_ping') return ping(asked, reply);
    const report = reports[asked.url ?? ''];
    reply.statusCode = report === undefined ? 404 : 200;
    reply.end(JSON.stringify(report ?? {}));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(socket, done));
  return { socket, close: () => new Promise((done) => server.close(done)) };
}

function writeContext(name: string, host: string, current = true) {
  const folder = join(home, '.docker/contexts/meta', createHash('sha256').update(name).digest('hex'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'meta.json'), JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }));
  if (current) writeFileSync(join(home, '.docker/config.json'), JSON.stringify({ currentContext: name }));
}

const bys = async (surroundings: EngineSurroundings) => (await enginePlaces(surroundings)).map(({ by }) => by);

describe('places of engines', () => {
  test.each([
    ['linux', ['Docker (rootless)', 'Docker Desktop', 'Docker', 'Docker Desktop', 'Podman', 'Podman (root)', 'Colima', 'Rancher Desktop']],
    ['darwin', ['Docker Desktop', 'Docker', 'OrbStack', 'Colima', 'Rancher Desktop', 'Podman', 'Podman']],
    ['win32', ['Docker Desktop', 'Podman']],
  ] as const)('follow the platform: %s', async (platform, expected) => {
    expect(await bys(around({}, platform))).toEqual(expected);
  });

  test('are the one of DOCKER_HOST alone where it is set', async () => {
    writeContext('box', 'unix:///box.sock');
    expect(await enginePlaces(around({ DOCKER_HOST: 'unix:///a/b.sock' }))).toMatchObject([{ by: 'DOCKER_HOST', socket: '/a/b.sock' }]);
    expect((await enginePlaces(around({ DOCKER_HOST: 'tcp://engine:2376' })))[0]).not.toHaveProperty('socket');
  });

  test('begin with the current Docker context, and DOCKER_CONTEXT overrides it', async () => {
    writeContext('box', 'unix:///box.sock');
    expect((await enginePlaces(around()))[0]).toMatchObject({ by: 'the Docker context box', socket: '/box.sock' });
    writeContext('other', 'unix:///other.sock', false);
    expect((await enginePlaces(around({ DOCKER_CONTEXT: 'other' })))[0]).toMatchObject({ socket: '/other.sock' });
    expect(await bys(around({ DOCKER_CONTEXT: 'default' }))).not.toContain('the Docker context box');
  });

  test.each(['{', '[]', '{"currentContext":7}', '{"currentContext":"../../etc"}', '{"currentContext":"missing"}'])(
    'ignore a Docker configuration without a usable context: %s',
    async (text) => {
      mkdirSync(join(home, '.docker'));
      writeFileSync(join(home, '.docker/config.json'), text);
      expect((await bys(around()))[0]).toBe('Docker (rootless)');
    },
  );
});

describe('the engine in use', () => {
  test('is the first place that answers, and stays while it answers', async () => {
    const podman = await engineAt('run/podman/podman.sock', {
      '/version': { Version: '4.9.3', Components: [{ Name: 'Podman Engine' }] },
      '/info': { SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] },
    });
    const surroundings = around({ DOCKER_CONTEXT: 'box' });
    writeContext('box', `unix://${join(home, 'box.sock')}`);
    const finder = finderOf(surroundings);
    const place = await finder.check(asking);
    expect(place).toMatchObject({ by: 'Podman', socket: podman.socket });
    expect(await finder.describe(place, asking)).toBe(`Podman 4.9.3, rootless, at ${podman.socket}`);

    const box = await engineAt('box.sock', { '/version': { Version: '<b>27', Components: [] } });
    expect(await finder.check(asking)).toBe(place);
    await podman.close();
    const next = await finder.check(asking);
    expect(next).toMatchObject({ by: 'the Docker context box' });
    expect(await finder.describe(next, asking)).toBe(`Docker at ${box.socket}`);
  });

  test('is not a socket that hangs, within the time of a check', async () => {
    const hanging = await engineAt('hang.sock', {}, () => undefined);
    const colima = await engineAt('colima/default/docker.sock');
    writeContext('hang', `unix://${hanging.socket}`);
    const place = await finderOf(around({ COLIMA_HOME: join(home, 'colima') })).check(asking);
    expect(place).toMatchObject({ by: 'Colima', socket: colima.socket });
  });
});

describe('a machine without an engine', () => {
  const adviceFor = async (surroundings: EngineSurroundings) => (await callFailure(finderOf(surroundings).check(asking))).message;

  test('gets the name of the place that DOCKER_HOST chose, and no other is tried', async () => {
    await engineAt('run/podman/podman.sock');
    const error = await callFailure(finderOf(around({ DOCKER_HOST: 'unix:///nonexistent/x.sock' })).check(asking));
    expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'engine_unreachable', retryable: true });
    expect(error.message).toBe(
      'a test: the container engine does not answer (ENOENT); DOCKER_HOST: start the engine that it names, correct it, or unset it to have this machine searched',
    );
  });

  test('gets the command that starts what it has', async () => {
    const podman = await engineAt('run/podman/podman.sock', {}, (_, reply) => {
      reply.statusCode = 503;
      reply.end();
    });
    expect(await adviceFor(around())).toContain(`Podman does not answer at ${podman.socket}: systemctl --user enable --now podman.socket`);
  });

  test.skipIf(process.platform === 'win32')('gets no advice on a socket in a folder that its user cannot search', async () => {
    await engineAt('run/podman/podman.sock');
    chmodSync(join(home, 'run'), 0o000);
    // Root may search every folder.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(await adviceFor(around())).toContain('does not answer (ENOENT); none of Docker');
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(join(home, 'run'), 0o700);
    }
  });

  test('gets a reason for a context of another machine', async () => {
    writeContext('far', 'ssh://root@far');
    expect(await adviceFor(around({}, 'darwin'))).toContain('the Docker context far is not a local socket; set DOCKER_HOST');
  });

  test('gets the list of products where nothing is installed', async () => {
    expect(await adviceFor(around({}, 'win32'))).toBe(
      'a test: the container engine does not answer (ENOENT); none of Docker Desktop, Podman has a socket here; install and start one of them, or set DOCKER_HOST',
    );
  });
});
