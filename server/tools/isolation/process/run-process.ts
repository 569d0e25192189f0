// Isolation mode `none`: a command as a process of the worker's machine, in a group of its own, with exactly the variables it was given. No shell.
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { endsWithin, type Clock } from '../../../clock.ts';
import { CallError } from '../../../engine/ports.ts';
import { CapturedStream } from '../captured-stream.ts';
import type { IsolatedResult, IsolatedRun, IsolationFacts } from '../isolation.ts';
import { withFacts } from '../with-facts.ts';
import { signalTree } from './process-tree.ts';

/** Between the asking and the forcing end. */
const TERM_GRACE_MS = 2_000;
/** How long output may still come when the command has ended, from processes that have its streams open. */
const DRAIN_MS = 1_000;

export type ProcessRun = Pick<IsolatedRun, 'env' | 'stdin' | 'workingDir' | 'signal' | 'outputMaxBytes' | 'floodMaxBytes' | 'what'> & {
  readonly command: readonly [string, ...string[]];
};

export interface ProcessDeps {
  readonly clock: Clock;
  /** PATH of the worker: where a bare command is looked up. The command does not see it. */
  readonly searchPath: string;
}

/** Rejects as IsolationEngine.run does. */
export async function runProcess(run: ProcessRun, { clock, searchPath }: ProcessDeps): Promise<IsolatedResult> {
  run.signal.throwIfAborted();
  const program = programOf(run, searchPath);
  requireDirectory(run);
  const child = spawnGroup(program, run, run.workingDir);
  return new RunningProcess(run, child, clock).toEnd();
}

/** A process that leads a group, so that it can be ended as a whole. Throws CallError for a command line that the system refuses at once. */
export function spawnGroup(
  ...[program, run, cwd = '/']: [string, Pick<ProcessRun, 'command' | 'env' | 'what'>, string?]
): ChildProcessWithoutNullStreams {
  const [argv0, ...args] = run.command;
  try {
    return spawn(program, args, { argv0, env: { ...run.env }, cwd, detached: true, stdio: 'pipe', shell: false });
  } catch (error) {
    throw startError(error, run);
  }
}

type Ending = 'exited' | 'aborted' | 'flooded';

class RunningProcess {
  readonly #run: ProcessRun;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #stdout: CapturedStream;
  readonly #stderr: CapturedStream;
  #cut: (ending: Ending) => void = () => undefined;

  constructor(...[run, child, clock]: [ProcessRun, ChildProcess, Clock]) {
    this.#run = run;
    this.#child = child;
    this.#clock = clock;
    const { outputMaxBytes, floodMaxBytes } = run;
    const limits = { outputMaxBytes, floodMaxBytes, onFlood: () => this.#cut('flooded') };
    this.#stdout = new CapturedStream(limits);
    this.#stderr = new CapturedStream(limits);
  }

  async toEnd(): Promise<IsolatedResult> {
    const child = this.#child;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const exited = new Promise<Ending>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => resolve('exited'));
    });
    child.stdout?.on('data', (bytes: Buffer) => this.#stdout.push(bytes));
    child.stderr?.on('data', (bytes: Buffer) => this.#stderr.push(bytes));
    // A command may end without reading its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(this.#run.stdin ?? '');
    const ending = await this.#ended(exited);
    await this.#drain(closed);
    return this.#result(ending);
  }

  async #ended(exited: Promise<Ending>): Promise<Ending> {
    const { signal } = this.#run;
    const onAbort = () => this.#cut('aborted');
    const cut = new Promise<Ending>((resolve) => {
      this.#cut = resolve;
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const ending = await Promise.race([exited, cut]);
      if (ending !== 'exited') await this.#terminate(exited);
      return ending;
    } catch (error) {
      throw startError(error, this.#run);
    } finally {
      signal.removeEventListener('abort', onAbort);
      // Children in the background end with the command.
      if (this.#child.pid !== undefined) signalTree(this.#child.pid, 'SIGKILL');
    }
  }

  async #terminate(exited: Promise<Ending>): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    signalTree(pid, 'SIGTERM');
    await endsWithin(exited, { clock: this.#clock, ms: TERM_GRACE_MS });
    signalTree(pid, 'SIGKILL');
    await exited;
  }

  /** Bounds the wait: a child that escaped the group may hold the streams open forever. */
  async #drain(closed: Promise<void>): Promise<void> {
    await endsWithin(closed, { clock: this.#clock, ms: DRAIN_MS });
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #result(ending: Ending): IsolatedResult {
    const { exitCode: code, signalCode: signal } = this.#child;
    const exitCode = code ?? 128 + (signal === null ? 0 : system.signals[signal]);
    const facts: IsolationFacts = {
      mode: 'none',
      backend: 'process',
      user: `${process.getuid?.() ?? '?'}:${process.getgid?.() ?? '?'}`,
      exit_code: exitCode,
      ...(signal !== null && { signal }),
    };
    const { what, floodMaxBytes } = this.#run;
    if (ending === 'aborted') throw withFacts(this.#run.signal.reason, facts);
    if (ending === 'flooded') {
      const message = `${what} wrote more than ${floodMaxBytes} bytes and was ended`;
      throw new CallError('execution_failed', message, { retryable: false, reason: 'output_flood', isolation: facts });
    }
    return {
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      truncated: { stdout: this.#stdout.truncated, stderr: this.#stderr.truncated },
      exitCode,
      ...(signal !== null && { signal }),
      oomKilled: false,
      facts,
    };
  }
}

/** The file to run: an absolute path, or the first hit of a bare name. Throws CallError. */
export function programOf({ command: [command], what }: Pick<ProcessRun, 'command' | 'what'>, searchPath: string): string {
  if (isAbsolute(command)) return command;
  if (command.includes('/')) {
    const message = `${what} has the command "${command}"; without isolation it must be an absolute path or a name`;
    throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'command_relative' });
  }
  const places = searchPath.split(delimiter).filter((place) => isAbsolute(place));
  const found = places.map((place) => join(place, command)).find(isProgram);
  if (found !== undefined) return found;
  throw new CallError('execution_failed', `${what}: the worker's PATH has no "${command}"`, {
    retryable: false,
    reason: 'command_not_found',
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function requireDirectory({ workingDir, what }: ProcessRun): void {
  if (workingDir === undefined) return;
  if (isAbsolute(workingDir) && statSync(workingDir, { throwIfNoEntry: false })?.isDirectory()) return;
  const message = `${what} has the working directory "${workingDir}", which is not an absolute path of a directory on the worker`;
  throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'working_dir' });
}

/** A failure to start as a CallError; an error of another kind as it is. */
export function startError(error: unknown, { command: [command], what }: Pick<ProcessRun, 'command' | 'what'>): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof CallError || typeof code !== 'string') return error;
  const fail = (message: string, reason: string, retryable = false) =>
    new CallError('execution_failed', `${what}: ${message}`, { retryable, reason, cause: error });
  if (code === 'ENOENT' || code === 'ENOTDIR') return fail(`there is no "${command}" on the worker`, 'command_not_found');
  if (code === 'EACCES' || code === 'ENOEXEC') return fail(`"${command}" cannot be executed on the worker`, 'command_not_executable');
  if (code === 'E2BIG') return fail('its arguments or its variables are longer than the system permits', 'argv_too_long');
  return fail(`"${command}" did not start (${code})`, 'start_failed', code === 'EAGAIN' || code === 'ENOMEM');
}
