// Threads that run WebAssembly instances: a fresh instance for each call, in a thread that is kept only after a call that ended well. Independent of any tool.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../installation.ts';
import type { CompiledModule } from './compile-module.ts';
import { Reservations } from './reservations.ts';

/** A thread costs about 25 ms to start and 5 MB to keep. */
const IDLE_MAX = 4;
const IDLE_MS = 30_000;
/** Further calls wait their turn, within their own time limits. */
const RUNNING_MAX = Math.max(8, 2 * availableParallelism());
/** A thread is replaced after this many calls, to free what it has accumulated. */
const CALLS_PER_THREAD_MAX = 1_000;
/** A thread holds on to the memory of its last module until its garbage is collected. */
const KEPT_MEMORY_MAX_BYTES = 32 * 1024 * 1024;
/** Limits of the thread's own JavaScript; a module's memory is limited by the module's declaration. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface SandboxJob {
  readonly module: CompiledModule;
  /** Most linear memory the module may have; set aside for as long as the job runs. */
  readonly memoryMaxBytes: number;
  readonly entrypoint: string;
  /** Names of the WASI functions that the module may find. */
  readonly functions: readonly string[];
  readonly stdin: Uint8Array;
  /** `NAME=value` */
  readonly env: readonly string[];
  readonly outputMaxBytes: number;
  readonly stderrMaxBytes: number;
}

export interface SandboxResult {
  /** `exhausted` is a stack or an allocation that went too far; `unlinkable` an import that does not fit. */
  readonly ending: 'returned' | 'trapped' | 'exhausted' | 'flooded' | 'unlinkable' | 'thread_lost';
  /** The engine's words about a trap; never the module's. */
  readonly problem: string;
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Size of the module's memory at its end. */
  readonly memoryBytes: number;
  /** The thread existed before the call. */
  readonly warm: boolean;
}

export interface SandboxPool {
  /** Runs one job. An abort ends its thread, whatever the module does, and rejects with the signal's reason. */
  run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult>;
  /** Ends all threads. Idempotent. */
  close(): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  calls: number;
  idleTimer?: NodeJS.Timeout;
}

/** Jobs run while their memory fits into `memoryTotalBytes`; the others wait, first come first served. */
export function createSandboxPool(memoryTotalBytes = Infinity): SandboxPool {
  const idle: Thread[] = [];
  const reservations = new Reservations({ placesMax: RUNNING_MAX, bytesMax: memoryTotalBytes });
  const drop = (thread: Thread) => {
    clearTimeout(thread.idleTimer);
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
    return thread.worker.terminate();
  };
  const keep = (thread: Thread) => {
    if (idle.length >= IDLE_MAX || thread.calls >= CALLS_PER_THREAD_MAX) return void drop(thread);
    thread.worker.unref();
    thread.idleTimer = setTimeout(() => void drop(thread), IDLE_MS).unref();
    idle.push(thread);
  };
  const take = (): { thread: Thread; warm: boolean } => {
    const thread = idle.pop();
    if (!thread) return { thread: { worker: startThread(), calls: 0 }, warm: false };
    clearTimeout(thread.idleTimer);
    thread.worker.ref();
    return { thread, warm: true };
  };

  const runReserved = async (job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> => {
    const { thread, warm } = take();
    thread.calls += 1;
    try {
      const result = { ...(await exchange(thread.worker, job, signal)), warm };
      if (result.ending === 'returned' && result.memoryBytes <= KEPT_MEMORY_MAX_BYTES) keep(thread);
      else await drop(thread);
      return result;
    } catch (error) {
      await drop(thread);
      throw error;
    }
  };

  return {
    async run(job, signal) {
      signal.throwIfAborted();
      await reservations.reserve(job.memoryMaxBytes, signal);
      try {
        return await runReserved(job, signal);
      } finally {
        reservations.release(job.memoryMaxBytes);
      }
    },
    async close() {
      await Promise.all(idle.slice().map(drop));
    },
  };
}

function startThread(): Worker {
  const worker = new Worker(threadProgram('tools/wasm/sandbox-thread.mjs'), {
    name: 'wasm-tool',
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: THREAD_LIMITS,
  });
  // A thread may die between two calls as well; then it is only gone.
  worker.on('error', () => undefined);
  return worker;
}

const LOST = {
  ending: 'thread_lost',
  problem: 'used more of its thread than a module may',
  exitCode: 0,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  memoryBytes: 0,
} as const;

function exchange(worker: Worker, job: SandboxJob, signal: AbortSignal): Promise<Omit<SandboxResult, 'warm'>> {
  return new Promise((resolve, reject) => {
    const onMessage = (result: Omit<SandboxResult, 'warm'>) => settle(() => resolve(result));
    const onExit = () => settle(() => resolve(LOST));
    const onAbort = () => settle(() => reject(signal.reason as Error));
    const settle = (act: () => void) => {
      worker.off('message', onMessage).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    worker.on('message', onMessage).on('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) return onAbort();
    worker.postMessage(job);
  });
}
