// Threads for work whose cost others choose: each job has a deadline, and a thread that misses it is ended, unless it is in native code. The event loop only waits.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '@svc/shared/errors';
import { timeLimit } from '../clock.ts';
import { threadProgram } from '../installation.ts';

/** Loading the program takes about 0.1 s from the build output and 0.5 s from the sources, more on a busy machine. */
const START_MAX_MS = 30_000;
/** Below the time that a server has for its end: an end of the process within a native call aborts it. */
const END_MAX_MS = 5_000;
/** Message that ends a thread. */
const END = null;

export interface ThreadPoolOptions {
  /** In messages about the pool, such as `input checks`. */
  readonly title: string;
  /** Address of the module whose export `answer(job)` does the work. */
  readonly program: string;
  readonly threadsMax: number;
  /** Time that one job may take in its thread; waiting for a thread does not count. */
  readonly deadlineMs: number;
  /** Jobs that may wait for a thread. */
  readonly waitingMax: number;
  readonly heapMaxMb: number;
  /**
   * The program calls native code. Ending a thread within such a call aborts the process, so a thread gets a signal and ends after its job. A job
   * past its deadline is rejected as always, but holds its thread until it is done; while such jobs hold all threads, others are refused.
   */
  readonly isNative?: boolean;
}

/** Jobs and results are copied between threads, so texts are cheaper than trees. */
export interface ThreadPool<Job, Result> {
  /** Rejects with JobOverdue, JobCrashed, or `unavailable` when too many jobs wait. */
  run(job: Job): Promise<Result>;
  /** Ends all threads and rejects the jobs in flight; waits up to 5 s for native ones to end. Idempotent. */
  close(): Promise<void>;
}

/** A job took longer than its deadline. */
export class JobOverdue extends Error {
  override readonly name = 'JobOverdue';
}

/** A job threw, or ended its thread by taking too much memory or stack, or the program of the thread did not load. */
export class JobCrashed extends Error {
  override readonly name = 'JobCrashed';
}

interface Pending<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

interface Reply<Result> {
  readonly result?: Result;
  readonly problem?: string;
}

/** The threads of a pool, and those that have nothing to do. */
class Threads {
  readonly #all = new Set<Worker>();
  readonly #idle: Worker[] = [];

  get size(): number {
    return this.#all.size;
  }

  takeIdle(): Worker | undefined {
    return this.#idle.pop();
  }

  add(thread: Worker): Worker {
    this.#all.add(thread.once('exit', () => this.forget(thread)));
    return thread;
  }

  rest(thread: Worker): void {
    if (!this.#all.has(thread)) return;
    thread.unref();
    this.#idle.push(thread);
  }

  forget(thread: Worker): void {
    this.#all.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  takeAll(): Worker[] {
    const all = [...this.#all];
    for (const thread of all) this.forget(thread);
    return all;
  }
}

export function createThreadPool<Job, Result>(options: ThreadPoolOptions): ThreadPool<Job, Result> {
  const { title, deadlineMs, threadsMax, isNative = false } = options;
  const threads = new Threads();
  const waiting: Pending<Job, Result>[] = [];
  /** Threads whose job is past its deadline. */
  let overdue = 0;
  let closed = false;
  const shuttingDown = () => new ServiceError('unavailable', `The server is shutting down; ${title} are closed`);
  const heldUp = () =>
    new ServiceError('unavailable', `${title} wait for a check that takes longer than ${deadlineMs} ms; try again later`);

  const serve = async (thread: Worker, pending: Pending<Job, Result>, fresh: boolean): Promise<void> => {
    try {
      thread.ref();
      if (fresh) await reply(thread, START_MAX_MS);
      const answered = reply<Reply<Result>>(thread, deadlineMs);
      thread.postMessage(pending.job);
      const { result, problem } = await answered;
      threads.rest(thread);
      if (problem === undefined) pending.resolve(result as Result);
      else pending.reject(new JobCrashed(problem));
    } catch (error) {
      pending.reject(closed ? shuttingDown() : (error as Error));
      if (isNative && error instanceof JobOverdue) await waitForLate(thread);
      else {
        threads.forget(thread);
        void end(thread, options);
      }
    }
    next();
  };
  const waitForLate = async (thread: Worker): Promise<void> => {
    overdue += 1;
    if (overdue >= threadsMax) for (const { reject } of waiting.splice(0)) reject(heldUp());
    const done = await reply(thread).catch(() => undefined);
    if (done !== undefined) threads.rest(thread);
    overdue -= 1;
  };
  /** Gives the oldest waiting job to a thread, a new one where there is room. */
  const next = (): void => {
    if (closed || waiting.length === 0) return;
    const known = threads.takeIdle();
    if (!known && threads.size >= threadsMax) return;
    const pending = waiting.shift();
    if (pending) void serve(known ?? threads.add(start(options)), pending, !known);
  };

  return {
    run(job) {
      if (closed) return Promise.reject(shuttingDown());
      if (overdue >= threadsMax) return Promise.reject(heldUp());
      if (waiting.length >= options.waitingMax)
        return Promise.reject(new ServiceError('unavailable', `Too many ${title} wait for their turn; try again later`));
      return new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        next();
      });
    },
    async close() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(shuttingDown());
      await Promise.all(threads.takeAll().map((thread) => end(thread, options)));
    },
  };
}

async function end(thread: Worker, { isNative }: ThreadPoolOptions): Promise<void> {
  if (!isNative) return void (await thread.terminate());
  thread.ref();
  thread.postMessage(END);
  await once(thread, 'exit', { signal: timeLimit(END_MAX_MS) }).catch(() => undefined);
}

function start({ title, program, heapMaxMb }: ThreadPoolOptions): Worker {
  const thread = new Worker(threadProgram('checks/thread.mjs'), {
    name: title,
    env: {},
    execArgv: [],
    workerData: { program },
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  // A thread may die between two jobs as well; then it is only gone.
  thread.on('error', () => undefined);
  return thread;
}

/** The next message of a thread. Rejects with JobOverdue past the time, JobCrashed when the thread ends. */
function reply<T>(thread: Worker, maxMs?: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    };
    const onMessage = (message: T) => settle(() => resolve(message));
    const onError = (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') settle(() => reject(new JobCrashed(error.message, { cause: error })));
    };
    const onExit = () => settle(() => reject(new JobCrashed('took more memory than it may')));
    const onLate = () => settle(() => reject(new JobOverdue(`took longer than ${maxMs} ms`)));
    const timer = maxMs === undefined ? undefined : setTimeout(onLate, maxMs);
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}
