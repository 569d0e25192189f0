// Facts of a trace from an engine's description of a container, and the check that they match the request. Pure.
import type { ContainerInspectInfo } from 'dockerode';
import { CallError } from '../../../engine/ports.ts';
import { SANDBOX, type ContainerLimits, type ImageMode, type IsolationFacts } from '../isolation.ts';
import { CONTAINER, resourcesOf } from './container-options.ts';
import { diskFacts } from './disk.ts';

/** Capabilities that Docker gives a container that drops nothing. Source: Docker's documentation, "Runtime privilege and Linux capabilities". */
const DOCKER_DEFAULTS =
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(' ');

export interface FactSources {
  readonly mode: ImageMode;
  /** The image as the tool names it. */
  readonly image: string;
  readonly digest: string;
}

export function factsOf(inspected: ContainerInspectInfo, { mode, image, digest }: FactSources): IsolationFacts {
  const { HostConfig: host, Config: config, Id: id, Mounts: mounts } = inspected;
  const options = (host.SecurityOpt ?? []) as readonly string[];
  return {
    mode,
    backend: 'docker',
    image,
    image_digest: digest,
    container_id: id,
    user: config.User === '' ? '0:0' : config.User,
    read_only: host.ReadonlyRootfs === true && !(mounts ?? []).some(({ RW }) => RW),
    ...diskFacts(inspected),
    capabilities: capabilities(host),
    no_new_privileges: options.some((option) => /^no-new-privileges([:=]true)?$/.test(option)),
    network: host.NetworkMode ?? 'default',
    memory_bytes: host.Memory ?? 0,
    cpu_cores: (host.NanoCpus ?? 0) / 1e9,
    pids_limit: host.PidsLimit ?? 0,
  };
}

/** The facts of a container that has ended. */
export function endFacts(facts: IsolationFacts, { State: state }: Pick<ContainerInspectInfo, 'State'>): IsolationFacts {
  return { ...facts, exit_code: state.ExitCode, ...(state.OOMKilled && { oom_killed: true }) };
}

function capabilities({ Privileged, CapAdd, CapDrop }: ContainerInspectInfo['HostConfig']): string[] {
  if (Privileged === true) return ['ALL'];
  const names = (list: unknown) => (Array.isArray(list) ? list.map((name) => String(name).toUpperCase().replace(/^CAP_/, '')) : []);
  const [added, dropped] = [names(CapAdd), new Set(names(CapDrop))];
  if (added.includes('ALL')) return ['ALL'];
  const base = dropped.has('ALL') ? [] : DOCKER_DEFAULTS.filter((name) => !dropped.has(name));
  return [...new Set([...base, ...added])].sort();
}

const OF_CGROUPS = ['memory_bytes', 'cpu_cores', 'pids_limit'];
const CGROUPS_REMEDY = 'a rootless engine needs cgroups of version 2 and the controllers memory, cpu and pids delegated to its user';

/** An engine may ignore options that it or the machine does not support: then nothing runs. Throws CallError `isolation_unavailable`. */
export function requireRequestedLimits(facts: IsolationFacts, { what, limits }: { what: string; limits: ContainerLimits }): void {
  const sandboxed = facts.mode === 'sandboxed';
  const { memoryBytes, cpuCores, pidsLimit } = resourcesOf(facts.mode === 'sandboxed' ? 'sandboxed' : 'container', limits);
  const diskMaxBytes = limits.diskBytes;
  const wanted: Partial<IsolationFacts> = {
    capabilities: sandboxed ? [] : CONTAINER.capabilities,
    no_new_privileges: true,
    memory_bytes: memoryBytes,
    cpu_cores: cpuCores,
    pids_limit: pidsLimit,
    ...(sandboxed && { user: SANDBOX.user, read_only: true, disk: 'read-only', network: 'none' }),
    ...(!sandboxed && diskMaxBytes > 0 && { read_only: true, disk: 'tmpfs' }),
  };
  const broken = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(facts[name as keyof IsolationFacts]) !== JSON.stringify(value),
  );
  const names = broken.map(([name]) => name);
  if (!sandboxed && diskMaxBytes > 0 && (facts.disk_bytes ?? 0) > diskMaxBytes) names.push('disk_bytes');
  if (names.length === 0) return;
  const remedy = names.some((name) => OF_CGROUPS.includes(name)) ? `; ${CGROUPS_REMEDY}` : '';
  throw new CallError(
    'isolation_unavailable',
    `${what} did not run: the container engine does not enforce ${names.join(', ')} of ${facts.mode}${remedy}`,
    {
      retryable: false,
      reason: 'constraints_not_held',
      isolation: facts,
    },
  );
}
