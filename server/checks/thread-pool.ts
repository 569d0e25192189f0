// Threads for pure work whose cost others choose: each job has a deadline, and a thread that misses it is ended. The event loop only waits.
import { Worker } from 'node:worker_threads';
import { ServiceError } from '@svc/shared/errors';
import { threadProgram } from '../installation.ts';

/** Loading the program takes about 0.1 s from the build output and 0.5 s from the sources, more on a busy machine. */
const START_MAX_MS = 30_000;

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
}

/** Jobs and results are copied between threads, so texts are cheaper than trees. */
export interface ThreadPool<Job, Result> {
  /** Rejects with JobOverdue, JobCrashed, or `unavailable` when too many jobs wait. */
  run(job: Job): Promise<Result>;
  /** Ends all threads and rejects the jobs in flight. Idempotent. */
  close(): Promise<void>;
}

/** A job took longer than its deadline. */
export class JobOverdue extends Error {
  override readonly name = 'JobOverdue';
}

/** A job threw, or ended its thread by taking too much memory or stack. */
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

export function createThreadPool<Job, Result>(options: ThreadPoolOptions): ThreadPool<Job, Result> {
  const { title, deadlineMs } = options;
  const idle: Worker[] = [];
  const threads = new Set<Worker>();
  const waiting: Pending<Job, Result>[] = [];
  let closed = false;
  const shuttingDown = () => new ServiceError('unavailable', `The server is shutting down; ${title} are closed`);

  const forget = (thread: Worker): void => {
    threads.delete(thread);
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
  };
  const end = (thread: Worker): Promise<number> => {
    forget(thread);
    return thread.terminate();
  };
  const rest = (thread: Worker): void => {
    if (!threads.has(thread)) return;
    thread.unref();
    idle.push(thread);
  };
  const serve = async (thread: Worker, pending: Pending<Job, Result>, fresh: boolean): Promise<void> => {
    try {
      thread.ref();
      if (fresh) await reply(thread, START_MAX_MS);
      const answered = reply<Reply<Result>>(thread, deadlineMs);
      thread.postMessage(pending.job);
      const { result, problem } = await answered;
      rest(thread);
      if (problem === undefined) pending.resolve(result as Result);
      else pending.reject(new JobCrashed(problem));
    } catch (error) {
      void end(thread);
      pending.reject(closed ? shuttingDown() : (error as Error));
    }
    next();
  };
  /** Gives the oldest waiting job to a thread, a new one where there is room. */
  const next = (): void => {
    const known = idle.pop();
    if (!known && threads.size >= options.threadsMax) return;
    const pending = closed ? undefined : waiting.shift();
    if (!pending) {
      if (known) idle.push(known);
      return;
    }
    const thread = known ?? start(options).once('exit', () => forget(thread));
    threads.add(thread);
    void serve(thread, pending, !known);
  };

  return {
    run(job) {
      if (closed) return Promise.reject(shuttingDown());
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
      await Promise.all([...threads].map(end));
    },
  };
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
function reply<T>(thread: Worker, maxMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('exit', onExit);
      act();
    };
    const onMessage = (message: T) => settle(() => resolve(message));
    const onExit = () => settle(() => reject(new JobCrashed('took more memory than it may')));
    const timer = setTimeout(() => settle(() => reject(new JobOverdue(`took longer than ${maxMs} ms`))), maxMs);
    thread.on('message', onMessage).on('exit', onExit);
  });
}
