// Where a container may write files and how much: which mounts it gets for that, and what the engine says of them. Pure.
import { posix } from 'node:path';
import type { ContainerInspectInfo, HostConfig } from 'dockerode';
import type { ImageMode } from '../isolation.ts';

/** The directory that ordinary programs write most to. It gets half of the limit, the others share the rest. */
const MAIN = '/tmp';
const OTHERS = ['/var/tmp', '/run'];
/** Podman mounts writable memory there if the root is read-only and nothing else is mounted. Source: podman-create(1), `--read-only-tmpfs`. */
const PODMAN_WRITABLE = [MAIN, ...OTHERS];
const PAGE_BYTES = 4096;
const SHARED_MEMORY = '/dev/shm';
const SHM_MAX_BYTES = 64 * 1024 * 1024;

type DiskOptions = Pick<HostConfig, 'ReadonlyRootfs' | 'Tmpfs' | 'ShmSize'>;

/** `read-only`: no file can be written. `tmpfs`: files are in memory and bounded. `unlimited`: files are on the disk of the engine. */
export type DiskFacts = { readonly disk: 'read-only' | 'tmpfs' | 'unlimited'; readonly disk_bytes?: number };

interface DiskRequest {
  readonly mode: ImageMode;
  readonly imageVolumes: readonly string[];
  /** 0: no limit. */
  readonly maxBytes: number;
  readonly podman: boolean;
}

/** An image's volumes are covered in every mode with a limit: Docker would make them writable directories on its disk. */
export function diskOptions({ mode, imageVolumes, maxBytes, podman }: DiskRequest): DiskOptions {
  const volumes = imageVolumes.map((path) => posix.resolve('/', path));
  if (mode === 'sandboxed') {
    // Without a size: Podman copies what the image has there.
    const copied = (podman ? PODMAN_WRITABLE : []).map((path) => [path, 'ro'] as const);
    const covered = [SHARED_MEMORY, ...volumes].map((path) => [path, 'ro,size=4k'] as const);
    return { ReadonlyRootfs: true, Tmpfs: Object.fromEntries([...copied, ...covered]) };
  }
  if (maxBytes === 0) return { ReadonlyRootfs: false };
  const others = [...new Set([...OTHERS, ...volumes])].filter((path) => path !== MAIN);
  const main = pages(maxBytes / 2);
  // One share is that of /dev/shm.
  const share = pages((maxBytes - main) / (others.length + 1));
  const tmpfs = (bytes: number) => `rw,exec,nosuid,nodev,mode=1777,size=${bytes}`;
  return {
    ReadonlyRootfs: true,
    ShmSize: Math.min(share, SHM_MAX_BYTES),
    Tmpfs: { [MAIN]: tmpfs(main), ...Object.fromEntries(others.map((path) => [path, tmpfs(share)])) },
  };
}

/** At least one: a tmpfs of size 0 has no limit. */
const pages = (bytes: number) => Math.max(PAGE_BYTES, Math.floor(bytes / PAGE_BYTES) * PAGE_BYTES);

export function diskFacts({ HostConfig: host, Mounts: mounts }: Pick<ContainerInspectInfo, 'HostConfig' | 'Mounts'>): DiskFacts {
  const onDisk = (mounts ?? []).some(({ RW, Type }) => RW && Type !== 'tmpfs');
  if (host.ReadonlyRootfs !== true || onDisk) return { disk: 'unlimited' };
  const mounted = (host.Tmpfs ?? {}) as Record<string, string>;
  const writable = Object.values(mounted).filter((options) => !options.split(',').includes('ro'));
  // A mount of its own replaces that of the engine.
  const sharedBytes = SHARED_MEMORY in mounted ? 0 : (host.ShmSize ?? SHM_MAX_BYTES);
  if (writable.length === 0 && sharedBytes === 0) return { disk: 'read-only' };
  const bytes = writable.reduce((sum, options) => sum + sizeOf(options), sharedBytes);
  return Number.isFinite(bytes) ? { disk: 'tmpfs', disk_bytes: bytes } : { disk: 'unlimited' };
}

function sizeOf(options: string): number {
  const bytes = Number(/(?:^|,)size=(\d+)(?:,|$)/.exec(options)?.[1]);
  return bytes > 0 ? bytes : Infinity;
}
