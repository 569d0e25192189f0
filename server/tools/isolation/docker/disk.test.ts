import { statfsSync } from 'node:fs';
import type { ContainerInspectInfo } from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { finderAt, startDocker, withoutDocker, type DockerEngine } from '../../../testing/docker-engine.ts';
import { toolCeilings } from '../../../testing/tool-deps.ts';
import type { ToolCeilings } from '../../ceilings.ts';
import type { IsolatedResult } from '../isolation.ts';
import { diskFacts, diskOptions } from './disk.ts';
import { createDockerEngine } from './docker-engine.ts';

const MIB = 1024 * 1024;
const OWNER = `disk-test-${process.pid}`;

interface LimitedCall extends Partial<ToolCeilings> {
  readonly mode?: 'container' | 'sandboxed';
}

const requested = (imageVolumes: readonly string[], maxBytes: number) =>
  diskOptions({ mode: 'container', imageVolumes, maxBytes, podman: false });

/** The engine's description of a container as requested, unless `host` and `mounts` differ. */
function inspected(host: object, mounts: readonly object[] = []) {
  const HostConfig = { ...requested(['/data'], 16 * MIB), ...host };
  return { HostConfig, Mounts: mounts } as unknown as ContainerInspectInfo;
}

describe('the files of a container', () => {
  test.each([1, 16, 1024, 4096])('writable mounts of a limit of %d MiB hold no more than it together', (mib) => {
    const volumes = ['/data', '/data/', '/tmp/', '/etc/../srv'];
    const options = requested(volumes, mib * MIB);
    expect(Object.keys(options.Tmpfs ?? {})).toEqual(['/tmp', '/var/tmp', '/run', '/data', '/srv']);
    const { disk, disk_bytes: bytes } = diskFacts(inspected(options));
    expect(disk).toBe('tmpfs');
    expect(bytes).toBeLessThanOrEqual(mib * MIB);
    expect(bytes).toBeGreaterThan((mib * MIB) / 2);
  });

  test('more volumes than pages exceed the limit, also in the facts', () => {
    const volumes = Array.from({ length: 1_000 }, (_, n) => `/v${n}`);
    expect(diskFacts(inspected(requested(volumes, MIB))).disk_bytes).toBeGreaterThan(MIB);
  });

  test.each([
    ['a writable root', { ReadonlyRootfs: false }, []],
    ['a mount in memory without a size', { Tmpfs: { '/tmp': 'rw' } }, []],
    ['a mount in memory of size 0, which has none', { Tmpfs: { '/tmp': 'rw,size=0' } }, []],
    ['a volume on the disk', {}, [{ Type: 'volume', Destination: '/data', RW: true }]],
  ])('%s counts as unlimited', (_what, host, mounts) => {
    expect(diskFacts(inspected(host, mounts))).toEqual({ disk: 'unlimited' });
  });

  test.each([false, true])('a sandbox has none (Podman: %s)', (podman) => {
    const options = diskOptions({ mode: 'sandboxed', imageVolumes: ['/data/'], maxBytes: 16 * MIB, podman });
    const writableByDefault = { '/tmp': 'rw', '/var/tmp': 'rw', '/run': 'rw' };
    const Tmpfs = { ...(podman && writableByDefault), ...options.Tmpfs };
    expect(diskFacts(inspected({ ...options, Tmpfs }))).toEqual({ disk: 'read-only' });
  });

  test('a sandbox whose shared memory can be written is not read-only', () => {
    expect(diskFacts(inspected({ Tmpfs: { '/data': 'ro,size=4k' }, ShmSize: MIB }))).toEqual({ disk: 'tmpfs', disk_bytes: MIB });
  });
});

describe.skipIf(withoutDocker('limits of files by Docker'))('container with limits of the operator', () => {
  const FLOOD_MIB = 400;
  const IMAGE = 'svc-test-volume:2';
  let docker: DockerEngine;
  const problems: unknown[] = [];
  /** One call in mode `container` of an engine with this limit. */
  const inContainer = (containerDiskMaxBytes: number, script: string, limits: LimitedCall = {}): Promise<IsolatedResult> => {
    const { mode = 'container', ...ceilings } = limits;
    const engine = createDockerEngine({
      clock: systemClock,
      finder: finderAt(docker.host),
      owner: OWNER,
      defaultNetwork: 'none',
      ceilings: toolCeilings({ containerDiskMaxBytes, ...ceilings }),
      reportError: (error) => problems.push(error),
    });
    return engine.run({
      mode,
      image: IMAGE,
      command: ['/bin/sh', '-c', script],
      env: { PATH: '/bin' },
      envBase: 'exact',
      outputMaxBytes: MIB,
      floodMaxBytes: 4 * MIB,
      what: 'Tool "t/x"',
      owner: { requestId: 'r1', taskId: 't/task', tool: 't/x' },
      deadline: Date.now() + 20_000,
      signal: AbortSignal.timeout(20_000),
    });
  };
  /** Bytes of the engine's own file system that a call takes while it runs. */
  const takenOnDisk = async (call: () => Promise<IsolatedResult>) => {
    const { DockerRootDir } = (await docker.client.info()) as { DockerRootDir: string };
    const free = () => statfsSync(DockerRootDir).bavail * statfsSync(DockerRootDir).bsize;
    const before = free();
    let least = before;
    const timer = setInterval(() => (least = Math.min(least, free())), 20);
    await call().finally(() => clearInterval(timer));
    return before - least;
  };
  beforeAll(async () => {
    docker = await startDocker();
    await docker.addImage(IMAGE, ['ENV PATH=/bin', 'VOLUME /data/', 'VOLUME /tmp/', 'VOLUME /etc/kept']);
  }, 60_000);
  afterAll(() => docker.stop(), 60_000);
  afterEach(async () => {
    expect(problems.splice(0)).toEqual([]);
    expect(await docker.ours(OWNER)).toEqual([]);
  });

  test.each([
    '/f',
    '/tmp/f',
    '/var/tmp/f',
    '/run/f',
    '/data/f',
    '/etc/kept/f',
    '/dev/shm/f',
    '/etc/hosts',
    '/etc/resolv.conf',
    '/etc/hostname',
  ])('a flood into %s fails and holds no more than the limit', async (path) => {
    const script = `dd if=/dev/zero of=${path} bs=1048576 count=${FLOOD_MIB} && echo written; du -m ${path} | cut -f1`;
    const { stdout, stderr } = await inContainer(16 * MIB, script);
    expect(stderr).toMatch(/No space left on device|Read-only file system/);
    expect(stdout).not.toContain('written');
    expect(Number(stdout.trim() || 0)).toBeLessThanOrEqual(16);
  });

  test('floods into every place that can be written leave the disk of the engine as it is', async () => {
    const places = '/f /tmp/f /var/tmp/f /run/f /data/f /etc/kept/f /dev/shm/f /etc/hosts';
    const script = `for f in ${places}; do dd if=/dev/zero of=$f bs=1048576 count=${FLOOD_MIB} 2>/dev/null; done; sleep 1`;
    // Other programs of the machine write too.
    expect(await takenOnDisk(() => inContainer(16 * MIB, script))).toBeLessThan((FLOOD_MIB / 2) * MIB);
  });

  test('a sandbox writes no file, also in the facts', async () => {
    const script = 'for d in / /tmp /var/tmp /run /data /etc/kept /dev /dev/shm; do echo x > $d/x && echo "$d is written"; done; true';
    const { stdout, facts } = await inContainer(16 * MIB, script, { mode: 'sandboxed' });
    expect(stdout).toBe('');
    expect(facts).toMatchObject({ disk: 'read-only', read_only: true });
    expect(facts).not.toHaveProperty('disk_bytes');
  });

  test('small files can be written and run, and the facts report where they are', async () => {
    const script =
      'cp /bin/busybox /tmp/busybox && /tmp/busybox sh -c "echo ran"; for d in /var/tmp /run /data /etc/kept; do echo x > $d/x || echo "$d fails"; done';
    const { stdout, stderr, facts } = await inContainer(16 * MIB, script);
    expect({ stdout, stderr }).toEqual({ stdout: 'ran\n', stderr: '' });
    expect(facts).toMatchObject({ disk: 'tmpfs', read_only: true });
    expect(facts.disk_bytes).toBeGreaterThan(15 * MIB);
    expect(facts.disk_bytes).toBeLessThanOrEqual(16 * MIB);
  });

  test('0 keeps the writable root, and the facts report that it has no limit', async () => {
    const { stdout, facts } = await inContainer(0, 'echo x > /f && echo written');
    expect(stdout).toBe('written\n');
    expect(facts).toMatchObject({ disk: 'unlimited', read_only: false });
    expect(facts).not.toHaveProperty('disk_bytes');
  });

  test('limits of memory and processors hold, for files too, and a sandbox keeps its own where they are lower', async () => {
    const limits = { containerMemoryMaxBytes: 64 * MIB, containerCpusMax: 0.75 };
    const held = await inContainer(
      1024 * MIB,
      'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null',
      limits,
    );
    expect(held.stdout).toBe(`${64 * MIB}\n`);
    expect(held.facts).toMatchObject({ memory_bytes: 64 * MIB, cpu_cores: 0.75 });
    expect(held.facts.disk_bytes).toBeLessThanOrEqual(64 * MIB);
    const sandbox = await inContainer(1024 * MIB, 'echo', { ...limits, mode: 'sandboxed' });
    expect(sandbox.facts).toMatchObject({ memory_bytes: 64 * MIB, cpu_cores: 0.5 });
  });
});
