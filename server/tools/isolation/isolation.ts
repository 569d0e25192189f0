// The port of isolation engines: something that runs one command apart from this process and says under which constraints it ran. Independent of any engine and any tool type.
import type { Writable } from 'node:stream';
import type { CallProgress } from '../../engine/ports.ts';

/** Values of `runtime.isolation_mode` that run in an image. */
const IMAGE_MODES = ['container', 'sandboxed', 'kubernetes'] as const;
export type ImageMode = (typeof IMAGE_MODES)[number];

export function isImageMode(mode: string): mode is ImageMode {
  return (IMAGE_MODES as readonly string[]).includes(mode);
}

/** How one registry is logged in to. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly identityToken?: string;
}

/** Registry host, as in an image's name (`docker.io` for the default one), → login. */
export type RegistryLogins = Readonly<Record<string, RegistryLogin>>;

/** Image that must be present before a run can start. */
export interface ImageRequest {
  readonly mode: ImageMode;
  readonly image: string;
  readonly registryLogins?: RegistryLogins;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CallProgress) => void;
  /** Names the tool in errors: `Tool "a/b"`. */
  readonly what: string;
}

/** One run of an image. Values of `env` and `stdin` may be secret: they never get into errors, labels or logs. */
export interface IsolatedRun extends ImageRequest {
  /** The exact command line. Absent: what the image itself starts. */
  readonly command?: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** `exact`: the process has `env` and nothing else, as far as the engine can. `image`: on top of the image's own. */
  readonly envBase: 'exact' | 'image';
  readonly stdin?: string;
  readonly workingDir?: string;
  /** The engine's network mode; absent: the operator's. Not with `sandboxed`, which has none. */
  readonly network?: string;
  /** When `signal` aborts at the latest, in milliseconds since the epoch: for engines that keep a deadline of their own. */
  readonly deadline: number;
  /** Bytes kept of each stream; the rest is read and dropped. */
  readonly outputMaxBytes: number;
  /** Bytes of a stream above which the run is ended: rejects with `execution_failed`, reason `output_flood`. */
  readonly floodMaxBytes: number;
  /** Owner of the run; the engine labels its objects with it. */
  readonly owner: RunOwner;
}

interface RunOwner {
  readonly requestId: string;
  /** `namespace/name`. */
  readonly taskId: string;
  /** `namespace/name`. */
  readonly tool: string;
}

export interface IsolatedResult {
  /** UTF-8; invalid bytes are replaced. */
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly exitCode: number;
  /** Such as `SIGKILL`, when a signal ended the command and the engine can tell. */
  readonly signal?: string;
  readonly oomKilled: boolean;
  readonly facts: IsolationFacts;
}

/** Facts about a run, read back from the engine, never assumed. A type and no interface, so that it is a JsonObject. */
export type IsolationFacts = {
  readonly mode: string;
  readonly backend: 'docker' | 'kubernetes' | 'wasm' | 'process';
  readonly image?: string;
  readonly image_digest?: string;
  readonly container_id?: string;
  /** In mode kubernetes: the place where it ran. */
  readonly pod?: string;
  readonly node?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  /** Where its files may be: nowhere, in bounded memory, or on the engine's disk within a limit or without one. */
  readonly disk?: 'read-only' | 'tmpfs' | 'unlimited';
  /** Bytes of files that it may have. */
  readonly disk_bytes?: number;
  readonly capabilities?: readonly string[];
  readonly no_new_privileges?: boolean;
  readonly network?: string;
  readonly memory_bytes?: number;
  readonly cpu_cores?: number;
  readonly pids_limit?: number;
  readonly exit_code?: number;
  readonly signal?: string;
  readonly oom_killed?: boolean;
  /** `merged`: both streams are in stdout, in the order they were written, for the engine could not tell them apart. */
  readonly streams?: 'separate' | 'merged';
};

/** The engines there are, with the modes that each runs. */
export const ENGINE_MODES = { docker: ['container', 'sandboxed'], kubernetes: ['kubernetes'] } as const;
export type EngineName = keyof typeof ENGINE_MODES;

export interface IsolationEngine {
  readonly name: EngineName;
  /** Resolves when the engine answers, with what answers where: `Podman 4.9.3, rootless, at /run/…`. Rejects with CallError `isolation_unavailable`, whose message says what to do. Within 2 seconds. */
  check(): Promise<string>;
  /** Fetches the image where that is this side's business; bounds its own time. Rejects as `run` does. */
  prepare(request: ImageRequest): Promise<void>;
  /**
   * One run, gone from the engine in every outcome. A command that ends, however it ends, is a result.
   * Rejects with CallError, `isolation` set where the run began: the signal's reason when aborted; `isolation_unavailable` (retryable
   * when the engine or the registry does not answer, not when the image does not exist); `runtime_policy_invalid` for what no engine
   * may run; `execution_failed` for a command that cannot be started or floods.
   */
  run(run: IsolatedRun): Promise<IsolatedResult>;
  /** Begins to remove what processes that died have left behind. */
  start(): void;
  /** Idempotent; safe when never started. */
  stop(): Promise<void>;
}

/** A program that runs until it ends or is ended, with its streams open to this process. Values of `env` may be secret, as those of a run. */
export interface ProgramRequest extends ImageRequest {
  readonly mode: ProgramMode;
  /** Absent: what the image itself starts, with `args`. */
  readonly command?: readonly [string, ...string[]];
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly envBase: 'exact' | 'image';
  readonly network?: string;
  /** Field that holds `network`, for errors. */
  readonly networkField: string;
  /** Labels of the engine's object that name the owner. */
  readonly labels: Readonly<Record<string, string>>;
}

type ProgramMode = Extract<ImageMode, 'container' | 'sandboxed'>;

/** Called in the order of the bytes, never after the program has ended. */
export interface ProgramEvents {
  readonly stdout: (bytes: Buffer) => void;
  readonly stderr: (bytes: Buffer) => void;
}

export interface RunningProgram {
  readonly input: Writable;
  /** Resolves once it has ended, with how it ended, as in "with exit code 1". Never rejects. */
  readonly ended: Promise<string>;
  readonly facts?: IsolationFacts;
  /** Requests its end. */
  terminate(): void;
  /** Forces its end, with all that it started; resolves when it is gone or the engine does not answer. Idempotent. */
  kill(): Promise<void>;
}

/** Engine that can hold programs. */
export interface ProgramEngine {
  prepare(request: ImageRequest): Promise<void>;
  /** Rejects as `IsolationEngine.run` does; nothing is left in the engine then. */
  startProgram(request: ProgramRequest, events: ProgramEvents): Promise<RunningProgram>;
}

/** The engines of this process by mode. */
export interface Isolation {
  /** Throws CallError `isolation_unavailable`, not retryable, when no engine is configured for the mode; `what` names the program. */
  programsIn(mode: ProgramMode, what: string): ProgramEngine;
  /** Throws CallError `isolation_unavailable`, not retryable, when no engine is configured for the mode; `what` names the tool. */
  engineFor(mode: ImageMode, what: string): IsolationEngine;
  /** All that are configured. */
  readonly engines: readonly IsolationEngine[];
}

/** The operator's limits of a container in mode `container`. */
export interface ContainerLimits {
  /** `--container-disk-max`: files that one call may write; 0: no limit. */
  readonly diskBytes: number;
  /** `--container-memory-max`. */
  readonly memoryBytes: number;
  /** `--container-cpus-max`. */
  readonly cpuCores: number;
}

/** Limits of `sandboxed` (docs/isolation.md). */
export const SANDBOX = {
  user: '65532:65532',
  memoryBytes: 128 * 1024 * 1024,
  cpuCores: 0.5,
  pidsLimit: 64,
} as const;
