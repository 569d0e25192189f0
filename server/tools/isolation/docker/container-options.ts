// How a run becomes a container: which constraints each mode sets, and whose it is. Pure.
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { CallError } from '../../../engine/ports.ts';
import { SANDBOX, type ContainerLimits, type ImageMode, type IsolatedRun, type ProgramRequest } from '../isolation.ts';
import { launchLine, type Launch } from './launcher.ts';
import { diskOptions } from './disk.ts';
import { DEADLINE_LABEL, OWNER_LABEL, PROCESS_LABEL } from '../orphans.ts';

/** Mode `container`, which trusts its image more than `sandboxed` does, but does not trust it with the machine. */
export const CONTAINER = {
  pidsLimit: 256,
  /** Capabilities with which entry points of ordinary images prepare files and leave root. */
  capabilities: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
} as const;

/** Limits of a container; a sandbox has the lower of its own and the operator's. */
export function resourcesOf(mode: ImageMode, { memoryBytes, cpuCores }: Pick<ContainerLimits, 'memoryBytes' | 'cpuCores'>) {
  if (mode !== 'sandboxed') return { memoryBytes, cpuCores, pidsLimit: CONTAINER.pidsLimit };
  return {
    memoryBytes: Math.min(SANDBOX.memoryBytes, memoryBytes),
    cpuCores: Math.min(SANDBOX.cpuCores, cpuCores),
    pidsLimit: SANDBOX.pidsLimit,
  };
}

/** Field of a Tool that names its network. */
export const TOOL_NETWORK_FIELD = 'spec.cli.network';
const NETWORK_NAME = /^[A-Za-z0-9][\w.-]{0,127}$/;
/** Variables that Docker adds by itself; `container` is Podman's. */
const ADDED_VARIABLES = ['HOSTNAME', 'TERM', 'container'];

/** Facts about the image when a container is made from it. */
export interface ImageInfo {
  readonly id: string;
  /** Names of the variables that the image sets. */
  readonly variables: readonly string[];
  /** PATH as the image sets it. */
  readonly path: string | undefined;
  readonly volumes: readonly string[];
}

export interface ContainerContext extends Ownership {
  readonly image: ImageInfo;
  readonly launch: Launch;
  readonly podman: boolean;
  /** The operator's `--container-network`. */
  readonly defaultNetwork: string;
  readonly limits: ContainerLimits;
}

export interface Ownership {
  /** Id of the worker that makes the container. */
  readonly owner: string;
  /** Undefined where the system does not report it. */
  readonly process: string | undefined;
}

/** A container to be made: one for a call, or one that holds a program. */
export interface ContainerRequest extends Pick<
  IsolatedRun,
  'mode' | 'command' | 'env' | 'envBase' | 'workingDir' | 'network' | 'deadline' | 'what'
> {
  /** Arguments of what the image itself starts. Not with `command`. */
  readonly args?: readonly string[];
  /** Default: that of a Tool. */
  readonly networkField?: string;
  readonly hasInput: boolean;
  /** Besides those that name the process and the deadline. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The container of one call. */
export function requestOfRun(run: IsolatedRun): ContainerRequest {
  const { owner, mode } = run;
  return {
    ...run,
    hasInput: run.stdin !== undefined,
    labels: { 'svc.request_id': owner.requestId, 'svc.task': owner.taskId, 'svc.tool': owner.tool, 'svc.mode': mode },
  };
}

/** Container of a program: the engine itself removes it when the program ends. */
export function programOptions(program: ProgramRequest, deadline: number, context: ContainerContext): ContainerCreateOptions {
  const labels = { ...program.labels, 'svc.mode': program.mode };
  const options = containerOptions({ ...program, deadline, labels, hasInput: true }, context);
  return { ...options, HostConfig: { ...options.HostConfig, AutoRemove: true } };
}

/** Throws CallError `runtime_policy_invalid` for what no engine may run. */
export function containerOptions(run: ContainerRequest, context: ContainerContext): ContainerCreateOptions {
  const { launch, podman } = context;
  const removed = removedVariables(run, context);
  const unset = Object.hasOwn(run.env, 'HOME') ? [] : ['HOME'];
  const [entrypoint, ...args] = run.command ? launchLine(run.command, launch, podman ? [...unset, ...removed] : unset) : [];
  return {
    Image: context.image.id,
    ...(entrypoint !== undefined && { Entrypoint: [entrypoint], Cmd: args }),
    ...(run.args !== undefined && run.args.length > 0 && { Cmd: [...run.args] }),
    Env: [
      ...Object.entries(run.env).map(([name, value]) => `${name}=${value}`),
      // A name without "=" takes a variable away; Podman would give it the value in the environment of its service.
      ...removed.map((name) => (podman ? `${name}=` : name)),
    ],
    ...(run.workingDir !== undefined && { WorkingDir: run.workingDir }),
    ...(run.mode === 'sandboxed' && { User: SANDBOX.user }),
    AttachStdin: run.hasInput,
    OpenStdin: run.hasInput,
    StdinOnce: run.hasInput,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    // A check of the image's would be a second process in the sandbox.
    Healthcheck: { Test: ['NONE'] },
    Labels: { ...ownerLabels(context, run.deadline), ...run.labels },
    HostConfig: hostConfig(run, context),
  };
}

function hostConfig(run: ContainerRequest, { image, defaultNetwork, limits, podman }: ContainerContext): HostConfig {
  const sandboxed = run.mode === 'sandboxed';
  const { memoryBytes, cpuCores, pidsLimit } = resourcesOf(run.mode, limits);
  return {
    NetworkMode: networkOf(run, defaultNetwork),
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
    ...diskOptions({ mode: run.mode, imageVolumes: image.volumes, maxBytes: limits.diskBytes, podman }),
  };
}

type NetworkRequest = Pick<ContainerRequest, 'mode' | 'network' | 'networkField' | 'what'>;

/** Network of a run: none for sandboxed. Networks of the machine or of other containers are refused, because they do not isolate. */
export function networkOf({ mode, network, networkField = TOOL_NETWORK_FIELD, what }: NetworkRequest, defaultNetwork: string): string {
  if (mode === 'sandboxed') {
    if (network === undefined || network === 'none') return 'none';
    throw refused(
      `${what} requests the network "${network}" and is sandboxed, which has none; use runtime.isolation_mode container`,
      'sandbox_network',
    );
  }
  const chosen = network ?? defaultNetwork;
  const from = network === undefined ? '--container-network' : networkField;
  if (chosen === 'host' || chosen.startsWith('container:') || chosen.startsWith('ns:')) {
    throw refused(`${what} would share the network of the host or of another container: ${from} must not be "${chosen}"`, 'shared_network');
  }
  if (!NETWORK_NAME.test(chosen)) throw refused(`${what} names no network: ${from} is "${chosen.slice(0, 80)}"`, 'network_invalid');
  return chosen;
}

/** Names of the variables that the image or the engine would add. */
function removedVariables({ env, envBase, command }: ContainerRequest, { image, launch }: ContainerContext): string[] {
  if (envBase === 'image') return [];
  // A program that was not found beforehand is resolved by the engine, by PATH.
  const needsPath = launch.program === undefined && command?.[0].includes('/') === false;
  const removed = new Set([...ADDED_VARIABLES, ...image.variables, 'PATH'].filter((name) => !Object.hasOwn(env, name)));
  if (needsPath) removed.delete('PATH');
  return [...removed];
}

/** Labels that hold the owner of a container and its deadline. */
export function ownerLabels({ owner, process }: Ownership, deadline: number): Record<string, string> {
  return { [OWNER_LABEL]: owner, [DEADLINE_LABEL]: String(deadline), ...(process !== undefined && { [PROCESS_LABEL]: process }) };
}

function refused(message: string, reason: string): CallError {
  return new CallError('runtime_policy_invalid', message, { retryable: false, reason });
}
