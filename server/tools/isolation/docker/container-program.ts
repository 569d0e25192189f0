// One container that holds a program with its streams open, from its making to its removal. Knows Docker; decides no policy.
import type { Duplex, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { Container } from 'dockerode';
import { CallError } from '../../../engine/ports.ts';
import type { IsolationFacts, ProgramEvents, ProgramRequest, RunningProgram } from '../isolation.ts';
import { answered, attach, engineStatus } from './client.ts';
import { createError, dispose, removeContainer, startError, type ContainerDeps, type ContainerPlan } from './container-run.ts';
import { createDemultiplexer } from './demultiplexer.ts';
import { factsOf, requireRequestedLimits } from './facts.ts';

/** A container whose process is on another machine is known to be left behind by its age only. */
export const PROGRAM_MAX_MS = 24 * 60 * 60 * 1_000;
/** Between the end of its streams and its exit code. */
const EXIT_CODE_MAX_MS = 2_000;
const REMOVAL_MAX_MS = 10_000;
const SIGNALLED = 128;
const KILLED = SIGNALLED + 9;
const MIB = 1024 * 1024;

export interface ProgramPlan extends ContainerPlan {
  readonly events: ProgramEvents;
}

/** Rejects as `ProgramEngine.startProgram` does. */
export async function startProgram(deps: ContainerDeps, program: ProgramRequest, plan: ProgramPlan): Promise<RunningProgram> {
  const { docker, clock } = deps;
  const { signal, what } = program;
  signal.throwIfAborted();
  const created = docker.createContainer({ ...plan.options, name: plan.name });
  try {
    const container = await answered(created, { clock, signal, what });
    return await open(deps, program, { ...plan, container });
  } catch (error) {
    await dispose(deps, created, what);
    throw error instanceof CallError || signal.aborted ? error : createError(error, program);
  }
}

interface CreatedProgram extends ProgramPlan {
  readonly container: Container;
}

async function open(
  ...[deps, program, { container, events, sources, limits }]: [ContainerDeps, ProgramRequest, CreatedProgram]
): Promise<RunningProgram> {
  const { clock } = deps;
  const { signal, what } = program;
  const ask = <T>(answer: Promise<T>): Promise<T> => answered(answer, { clock, signal, what });
  const facts = factsOf(await ask(container.inspect()), sources);
  requireRequestedLimits(facts, { what, limits });
  const exited = exitCodeOf(await ask(nextExit(deps.docker, container)));
  exited.catch(() => undefined);
  let stream: Duplex | undefined;
  try {
    // Podman prepares the process at the attach already.
    stream = await ask(attach(deps.docker, container, { stdin: true }));
    const drained = read(stream, events);
    await ask(container.start());
    return new ContainerProgram(deps, program, { container, stream, drained, exited, facts });
  } catch (error) {
    stream?.destroy();
    if (error instanceof CallError || engineStatus(error) === undefined) throw error;
    const exitCode = await answered(exited, { clock, what, timeoutMs: EXIT_CODE_MAX_MS }).catch(() => -1);
    throw startError(error, { run: program, networkField: program.networkField, facts, exitCode });
  }
}

/**
 * Resolves once the engine watches for the exit: only then may the container start, since the engine removes it as soon as it has ended,
 * and its exit code with it. The client's own `wait` resolves at the exit only.
 */
function nextExit({ modem }: ContainerDeps['docker'], { id }: Container): Promise<Readable> {
  const request = {
    path: `/containers/${id}/wait?`,
    method: 'POST',
    options: { condition: 'next-exit' },
    isStream: true,
    statusCodes: { 200: true, 400: 'bad parameter', 404: 'no such container', 500: 'server error' },
  };
  return new Promise((resolve, reject) => {
    modem.dial(request, (error, answer) => (error ? reject(error) : resolve(answer as Readable)));
  });
}

async function exitCodeOf(answer: Readable): Promise<number> {
  const { StatusCode: code } = (await json(answer)) as { readonly StatusCode: number };
  return code;
}

/** Resolves at the end of the streams. */
function read(stream: Duplex, events: ProgramEvents): Promise<void> {
  const demultiplex = createDemultiplexer({
    stdout: (bytes) => events.stdout(Buffer.from(bytes)),
    stderr: (bytes) => events.stderr(Buffer.from(bytes)),
  });
  return new Promise((resolve) => {
    stream.on('data', demultiplex);
    for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve());
  });
}

interface StartedProgram {
  readonly container: Container;
  readonly stream: Duplex;
  readonly drained: Promise<void>;
  readonly exited: Promise<number>;
  readonly facts: IsolationFacts;
}

class ContainerProgram implements RunningProgram {
  readonly ended: Promise<string>;
  readonly #deps: ContainerDeps;
  readonly #program: ProgramRequest;
  readonly #started: StartedProgram;
  #removing: Promise<void> | undefined;
  #outlived = false;

  constructor(...[deps, program, started]: [ContainerDeps, ProgramRequest, StartedProgram]) {
    this.#deps = deps;
    this.#program = program;
    this.#started = started;
    this.ended = this.#end();
  }

  get input(): Duplex {
    return this.#started.stream;
  }

  get facts(): IsolationFacts {
    return this.#started.facts;
  }

  terminate(): void {
    // A program that has ended by itself needs no signal.
    this.#started.container.kill({ signal: 'SIGTERM' }).catch(() => undefined);
  }

  kill(): Promise<void> {
    const { clock, reportError } = this.#deps;
    const { container, stream } = this.#started;
    const { what } = this.#program;
    this.#removing ??= answered(removeContainer(container), { clock, what, timeoutMs: REMOVAL_MAX_MS })
      .catch(reportError)
      .then(() => void stream.destroy());
    return this.#removing;
  }

  /** A program that has closed its output is over, even where its process is not. */
  async #end(): Promise<string> {
    const { clock } = this.#deps;
    const { exited, drained } = this.#started;
    const { what } = this.#program;
    const over = new AbortController();
    clock.sleep(PROGRAM_MAX_MS, over.signal).then(
      () => {
        this.#outlived = true;
        return this.kill();
      },
      () => undefined,
    );
    await drained;
    over.abort();
    const code = await answered(exited, { clock, what, timeoutMs: EXIT_CODE_MAX_MS }).catch(() => undefined);
    await this.kill();
    return this.#howEnded(code);
  }

  #howEnded(code: number | undefined): string {
    if (this.#outlived) return `after ${PROGRAM_MAX_MS / 3_600_000} hours, the maximum lifetime of a container`;
    if (code === undefined) return 'when its container closed its output';
    if (code === KILLED)
      return `by SIGKILL; its container may have ${Math.floor((this.#started.facts.memory_bytes ?? 0) / MIB)} MiB of memory`;
    return `with exit code ${code}`;
  }
}
