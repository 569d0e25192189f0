// How a run becomes a container: which constraints each mode sets, and whose it is. Pure.
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { CallError } from '../../../engine/ports.ts';
import { SANDBOX, type IsolatedRun } from '../isolation.ts';
import { DEADLINE_LABEL, OWNER_LABEL, PROCESS_LABEL } from './leftovers.ts';

/** Of mode `container`, which trusts its image more than `sandboxed` does, and still not with the machine. */
export const CONTAINER = {
  memoryBytes: 1024 * 1024 * 1024,
  cpuCores: 1,
  pidsLimit: 256,
  /** What entry points of ordinary images need to prepare files and to leave root. */
  capabilities: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
} as const;

const NETWORK_NAME = /^[A-Za-z0-9][\w.-]{0,127}$/;
/** What Docker adds by itself. */
const ADDED_VARIABLES = ['HOSTNAME', 'TERM'];

/** What is known of the image when a container is made from it. */
export interface ImageInfo {
  readonly id: string;
  /** Names of the variables that the image sets. */
  readonly variables: readonly string[];
  readonly volumes: readonly string[];
}

export interface ContainerContext {
  readonly image: ImageInfo;
  /** Which worker makes it. */
  readonly owner: string;
  /** Undefined where the system does not tell. */
  readonly process: string | undefined;
  /** The operator's `--container-network`. */
  readonly defaultNetwork: string;
}

/** Throws CallError `runtime_policy_invalid` for what no engine may run. */
export function containerOptions(run: IsolatedRun, context: ContainerContext): ContainerCreateOptions {
  const [entrypoint, ...args] = run.command ?? [];
  return {
    Image: context.image.id,
    ...(entrypoint !== undefined && { Entrypoint: [entrypoint], Cmd: args }),
    Env: environment(run, context.image),
    ...(run.workingDir !== undefined && { WorkingDir: run.workingDir }),
    ...(run.mode === 'sandboxed' && { User: SANDBOX.user }),
    AttachStdin: run.stdin !== undefined,
    OpenStdin: run.stdin !== undefined,
    StdinOnce: run.stdin !== undefined,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    // A check of the image's would be a second process in the sandbox.
    Healthcheck: { Test: ['NONE'] },
    Labels: labels(run, context),
    HostConfig: hostConfig(run, context),
  };
}

function hostConfig(run: IsolatedRun, { image, defaultNetwork }: ContainerContext): HostConfig {
  const sandboxed = run.mode === 'sandboxed';
  const { memoryBytes, cpuCores, pidsLimit } = sandboxed ? SANDBOX : CONTAINER;
  return {
    NetworkMode: networkOf(run, defaultNetwork),
    ReadonlyRootfs: sandboxed,
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: sandboxed ? [] : [...CONTAINER.capabilities],
    SecurityOpt: ['no-new-privileges'],
    Memory: memoryBytes,
    // Equal: no swap on top.
    MemorySwap: memoryBytes,
    NanoCpus: Math.round(cpuCores * 1e9),
    PidsLimit: pidsLimit,
    IpcMode: 'private',
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no' },
    // Volumes that an image declares would be writable on a read-only root.
    ...(sandboxed && image.volumes.length > 0 && { Tmpfs: Object.fromEntries(image.volumes.map((path) => [path, 'ro,size=4k'])) }),
  };
}

/** The network of a run. Source: SPEC "Limits" for sandboxed; the machine's and other containers' networks are no isolation. */
export function networkOf({ mode, network, what }: Pick<IsolatedRun, 'mode' | 'network' | 'what'>, defaultNetwork: string): string {
  if (mode === 'sandboxed') {
    if (network === undefined || network === 'none') return 'none';
    throw refused(
      `${what} asks for the network "${network}" and is sandboxed, which has none; use runtime.isolation_mode container`,
      'sandbox_network',
    );
  }
  const chosen = network ?? defaultNetwork;
  const from = network === undefined ? '--container-network' : 'spec.cli.network';
  if (chosen === 'host' || chosen.startsWith('container:') || chosen.startsWith('ns:')) {
    throw refused(`${what} would share the network of the host or of another container: ${from} must not be "${chosen}"`, 'shared_network');
  }
  if (!NETWORK_NAME.test(chosen)) throw refused(`${what} names no network: ${from} is "${chosen.slice(0, 80)}"`, 'network_invalid');
  return chosen;
}

function environment({ env, envBase, command }: IsolatedRun, image: ImageInfo): string[] {
  const declared = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  if (envBase === 'image') return declared;
  // A name without "=" takes a variable away. A bare command needs PATH to be found.
  const bare = command !== undefined && !command[0].includes('/');
  const added = [...ADDED_VARIABLES, ...image.variables, ...(bare ? [] : ['PATH'])];
  const removed = new Set(added.filter((name) => !Object.hasOwn(env, name) && !(bare && name === 'PATH')));
  return [...declared, ...removed];
}

function labels({ owner, mode, deadline }: IsolatedRun, context: ContainerContext): Record<string, string> {
  return {
    [OWNER_LABEL]: context.owner,
    [DEADLINE_LABEL]: String(deadline),
    ...(context.process !== undefined && { [PROCESS_LABEL]: context.process }),
    'svc.request_id': owner.requestId,
    'svc.task': owner.taskId,
    'svc.tool': owner.tool,
    'svc.mode': mode,
  };
}

function refused(message: string, reason: string): CallError {
  return new CallError('runtime_policy_invalid', message, { retryable: false, reason });
}
