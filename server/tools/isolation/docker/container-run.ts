// One container from its making to its removal: attach, start, input, end, facts. Knows Docker; decides no policy.
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type { Container, ContainerCreateOptions } from 'dockerode';
import type { Clock } from '../../../clock.ts';
import { CallError } from '../../../engine/ports.ts';
import { CapturedStream } from '../captured-stream.ts';
import type { ContainerLimits, IsolatedResult, IsolatedRun, IsolationFacts } from '../isolation.ts';
import { answered, attach, engineFailure, engineMessage, engineStatus, podmanCause } from './client.ts';
import { withFacts } from '../with-facts.ts';
import { TOOL_NETWORK_FIELD } from './container-options.ts';
import { createDemultiplexer } from './demultiplexer.ts';
import { endFacts, factsOf, requireRequestedLimits, type FactSources } from './facts.ts';

/** How long a killed container may take to be gone, and the last of its output to come. */
const END_MAX_MS = 10_000;
/** How often a container is examined whose output is over. */
const LOOK_INTERVAL_MS = 1_000;
/** Exit codes of containers whose command did not start, and Podman's causes, which come without an exit code. */
const NOT_EXECUTABLE = [126, 'OCI permission denied'];
const NOT_FOUND = [127, 'OCI runtime attempted to invoke a command that was not found'];
const NO_NETWORK = 'network not found';

export interface ContainerDeps {
  readonly docker: Docker;
  readonly clock: Clock;
  /** Called for a container that could not be removed; it is swept later. */
  readonly reportError: (error: unknown) => void;
}

export interface ContainerPlan {
  /** Unique name; its prefix marks containers of this service. */
  readonly name: string;
  readonly options: ContainerCreateOptions;
  readonly sources: FactSources;
  /** Those of the options. */
  readonly limits: ContainerLimits;
}

export async function runContainer(deps: ContainerDeps, run: IsolatedRun, plan: ContainerPlan): Promise<IsolatedResult> {
  const { docker, clock } = deps;
  run.signal.throwIfAborted();
  const created = docker.createContainer({ ...plan.options, name: plan.name });
  try {
    const container = await answered(created, { clock, signal: run.signal, what: run.what });
    return await new ContainerRun(deps, run, container).toEnd(plan);
  } catch (error) {
    throw error instanceof CallError || run.signal.aborted ? error : createError(error, { ...run, networkField: TOOL_NETWORK_FIELD });
  } finally {
    await dispose(deps, created, run.what);
  }
}

/** Calls `look` with a container that is never started, and removes it. */
export async function peek<T>(deps: ContainerDeps, options: ContainerCreateOptions, look: Look<T>): Promise<T> {
  const { docker, clock } = deps;
  const { signal, what } = look;
  const created = docker.createContainer(options);
  try {
    const container = await answered(created, { clock, signal, what });
    return await answered(look.at(container), { clock, signal, what });
  } catch (error) {
    throw error instanceof CallError || signal.aborted ? error : engineFailure(what, error);
  } finally {
    await dispose(deps, created, what);
  }
}

export interface Look<T> {
  readonly at: (container: Container) => Promise<T>;
  readonly signal: AbortSignal;
  readonly what: string;
}

/** Also of a container whose making was not waited for. */
export async function dispose({ clock, reportError }: ContainerDeps, created: Promise<Container>, what: string): Promise<void> {
  const gone = created.then(
    (container) => removeContainer(container),
    () => undefined,
  );
  await answered(gone, { clock, what, timeoutMs: END_MAX_MS }).catch(reportError);
}

/** With what it runs and its volumes. One that is gone is fine. */
export async function removeContainer(container: Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    const status = engineStatus(error);
    // 409: its removal has begun.
    if (status !== 404 && status !== 409) throw error;
  }
}

class ContainerRun {
  readonly #deps: ContainerDeps;
  readonly #run: IsolatedRun;
  readonly #container: Container;
  readonly #flooded = new AbortController();
  readonly #stdout: CapturedStream;
  readonly #stderr: CapturedStream;

  constructor(deps: ContainerDeps, run: IsolatedRun, container: Container) {
    this.#deps = deps;
    this.#run = run;
    this.#container = container;
    const { outputMaxBytes, floodMaxBytes } = run;
    const limits = { outputMaxBytes, floodMaxBytes, onFlood: () => this.#flooded.abort() };
    this.#stdout = new CapturedStream(limits);
    this.#stderr = new CapturedStream(limits);
  }

  async toEnd({ sources, limits }: ContainerPlan): Promise<IsolatedResult> {
    const run = this.#run;
    const facts = factsOf(await this.#ask(this.#container.inspect()), sources);
    requireRequestedLimits(facts, { what: run.what, limits });
    const { stream, drained } = await this.#starting(facts, () => this.#attach());
    try {
      return await this.#begun(facts, async () => {
        await this.#starting(facts, () => this.#ask(this.#container.start()));
        if (run.stdin !== undefined) stream.end(run.stdin);
        const ending = await this.#ended(drained);
        await this.#settle(drained);
        return this.#result(await this.#endFacts(facts), ending);
      });
    } finally {
      stream.destroy();
    }
  }

  async #attach(): Promise<{ stream: Duplex; drained: Promise<void> }> {
    const stream = await this.#ask(attach(this.#deps.docker, this.#container, { stdin: this.#run.stdin !== undefined }));
    const demultiplex = createDemultiplexer({ stdout: (bytes) => this.#stdout.push(bytes), stderr: (bytes) => this.#stderr.push(bytes) });
    const drained = new Promise<void>((resolve) => {
      stream.on('data', demultiplex);
      // A command may end without reading its input.
      for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve());
    });
    return { stream, drained };
  }

  /** Rejects as a start that failed. Podman prepares the process when it is attached to. */
  async #starting<T>(facts: IsolationFacts, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof CallError || engineStatus(error) === undefined) throw error;
      const { State: state } = await this.#ask(this.#container.inspect());
      throw startError(error, { run: this.#run, networkField: TOOL_NETWORK_FIELD, facts, exitCode: state.ExitCode });
    }
  }

  /** From the request to start on, a lost engine leaves the outcome unknown, and the command is not run again. An aborted call keeps its reason. */
  async #begun(facts: IsolationFacts, action: () => Promise<IsolatedResult>): Promise<IsolatedResult> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof CallError && error.code !== 'isolation_unavailable') throw error;
      const { signal, what } = this.#run;
      if (signal.aborted) throw withFacts(signal.reason, facts);
      const cause = error instanceof CallError ? error : engineFailure(what, error, Object.values(this.#run.env));
      throw new CallError('execution_failed', `${cause.message}. The command may have run, so it is not run again`, {
        retryable: false,
        reason: 'engine_lost',
        isolation: facts,
        cause,
      });
    }
  }

  /** Resolves when the command has ended, or was ended after its timeout or the grace period. */
  async #ended(drained: Promise<void>): Promise<'exited' | 'aborted' | 'flooded'> {
    const over = new AbortController();
    const exited = this.#container.wait({ condition: 'not-running' }).then(() => 'exited' as const);
    exited.catch(() => undefined);
    const { signal } = this.#run;
    let onAbort: () => void = () => undefined;
    let onFlood: () => void = () => undefined;
    const cut = new Promise<'aborted' | 'flooded'>((resolve) => {
      onAbort = () => resolve('aborted');
      onFlood = () => resolve('flooded');
      signal.addEventListener('abort', onAbort, { once: true });
      this.#flooded.signal.addEventListener('abort', onFlood, { once: true });
      if (signal.aborted) onAbort();
    });
    try {
      const ending = await Promise.race([exited, cut, this.#seenEnded(drained, over.signal)]);
      if (ending === 'exited') return ending;
      await this.#kill();
      await this.#settle(exited);
      return ending;
    } finally {
      over.abort();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The client never answers a wait that was cut off, as by an engine that died. Its output's stream is cut off too: from then on it is polled. */
  async #seenEnded(drained: Promise<void>, over: AbortSignal): Promise<'exited'> {
    const never = new Promise<never>(() => undefined);
    const { clock } = this.#deps;
    const { signal } = this.#run;
    try {
      await drained;
      for (;;) {
        await clock.sleep(LOOK_INTERVAL_MS, over);
        const { State: state } = await this.#ask(this.#container.inspect());
        if (!state.Running) return 'exited';
      }
    } catch (error) {
      // The code that ended the wait reports the reason.
      if (over.aborted || signal.aborted) return never;
      throw error;
    }
  }

  async #kill(): Promise<void> {
    const { clock } = this.#deps;
    try {
      await answered(this.#container.kill(), { clock, what: this.#run.what, timeoutMs: END_MAX_MS });
    } catch (error) {
      // 409: it ended by itself meanwhile.
      if (engineStatus(error) === undefined) throw error;
    }
  }

  async #endFacts(facts: IsolationFacts): Promise<IsolationFacts> {
    const { clock } = this.#deps;
    const inspected = await answered(this.#container.inspect(), { clock, what: this.#run.what, timeoutMs: END_MAX_MS });
    return endFacts(facts, inspected);
  }

  #result(facts: IsolationFacts, ending: 'exited' | 'aborted' | 'flooded'): IsolatedResult {
    const { signal, what, floodMaxBytes } = this.#run;
    if (ending === 'aborted') throw withFacts(signal.reason, facts);
    if (ending === 'flooded') {
      throw new CallError('execution_failed', `${what} wrote more than ${floodMaxBytes} bytes and was ended`, {
        retryable: false,
        reason: 'output_flood',
        isolation: facts,
      });
    }
    return {
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      truncated: { stdout: this.#stdout.truncated, stderr: this.#stderr.truncated },
      exitCode: facts.exit_code ?? -1,
      oomKilled: facts.oom_killed === true,
      facts,
    };
  }

  #ask<T>(answer: Promise<T>): Promise<T> {
    return answered(answer, { clock: this.#deps.clock, signal: this.#run.signal, what: this.#run.what });
  }

  async #settle(promise: Promise<unknown>): Promise<void> {
    await answered(promise, { clock: this.#deps.clock, what: this.#run.what, timeoutMs: END_MAX_MS });
  }
}

type UncreatedRun = Pick<UnstartedRun, 'networkField'> & Pick<IsolatedRun, 'what' | 'env' | 'image'>;

export function createError(error: unknown, run: UncreatedRun): CallError {
  const status = engineStatus(error);
  const secrets = Object.values(run.env);
  if (podmanCause(error) === NO_NETWORK) return networkError(error, { run, networkField: run.networkField });
  if (status === undefined || status >= 500) return engineFailure(run.what, error, secrets);
  const words = engineMessage(error, secrets);
  if (status === 404) {
    return new CallError('isolation_unavailable', `${run.what}: the image "${run.image}" was removed before it could run`, {
      retryable: true,
      reason: 'image_gone',
    });
  }
  return new CallError('runtime_policy_invalid', `${run.what} cannot run as it is declared: ${words}`, {
    retryable: false,
    reason: 'container_refused',
  });
}

interface NetworkUser {
  readonly run: Pick<IsolatedRun, 'what' | 'env'>;
  /** Field that names the network. */
  readonly networkField: string;
  readonly facts?: IsolationFacts;
}

interface UnstartedRun extends NetworkUser {
  readonly run: Pick<IsolatedRun, 'what' | 'env' | 'image' | 'command'>;
  readonly facts: IsolationFacts;
  readonly exitCode: number;
}

export function startError(error: unknown, { run, networkField, facts, exitCode }: UnstartedRun): CallError {
  const command = run.command?.[0] ?? 'its command';
  const fail = (message: string, reason: string) =>
    new CallError('execution_failed', `${run.what}: ${message}`, {
      retryable: false,
      reason,
      isolation: { ...facts, exit_code: exitCode },
    });
  const isAny = (reasons: readonly unknown[]) => reasons.includes(exitCode) || reasons.includes(podmanCause(error));
  if (isAny(NOT_FOUND)) return fail(`the image "${run.image}" has no "${command}"`, 'command_not_found');
  if (isAny(NOT_EXECUTABLE)) return fail(`"${command}" of the image "${run.image}" cannot be executed`, 'command_not_executable');
  if (engineStatus(error) === 404) return networkError(error, { run, networkField, facts });
  return fail(`its container did not start: ${engineMessage(error, Object.values(run.env))}`, 'start_failed');
}

function networkError(error: unknown, { run, networkField, facts }: NetworkUser): CallError {
  const words = engineMessage(error, Object.values(run.env));
  return new CallError('runtime_policy_invalid', `${run.what} cannot run: ${words}; see ${networkField} and --container-network`, {
    retryable: false,
    reason: 'network_not_found',
    ...(facts && { isolation: facts }),
  });
}
