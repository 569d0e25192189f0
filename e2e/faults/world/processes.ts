// Processes of the program under test, as users run it, killed and stopped in every way. Each is ended by its own pid on every exit of the
// suite.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atExit } from './cleanup.ts';

const svcd = join(import.meta.dirname, '..', '..', '..', 'server', 'dist', 'bin', 'svcd.js');
const TAIL_LINES = 60;
const READY_POLL_MS = 10;

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SvcdOptions {
  readonly args: readonly string[];
  /** A command that runs the program, such as strace with its arguments. */
  readonly under?: readonly string[];
}

/** First report of a process once it is up; a worker need not have an address. */
export interface Announcement {
  readonly url: string | undefined;
}

/** The process that runs the program itself: the child of a command it runs under. */
function innerPid(pid: number): number {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return child ? Number(child) : pid;
  } catch {
    return pid;
  }
}

export class Svcd {
  readonly ended: Promise<ProcessExit>;
  /** Last lines of its output, for a failure's report. */
  readonly tail: string[] = [];
  readonly #child: ChildProcess;
  readonly #wrapped: boolean;
  readonly #announced: Promise<Announcement | undefined>;
  #over: ProcessExit | undefined;
  #stopRequested = false;

  constructor({ args, under = [] }: SvcdOptions) {
    const [command = process.execPath, ...rest] = [...under, process.execPath, svcd, ...args];
    this.#wrapped = under.length > 0;
    this.#child = spawn(command, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    });
    const forget = atExit(() => this.signal('SIGKILL'));
    this.ended = (once(this.#child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>).then(([code, signal]) => {
      forget();
      return (this.#over = { code, signal });
    });
    this.#announced = this.#readOutput();
  }

  get alive(): boolean {
    return this.#over === undefined;
  }

  /** True once the suite itself has stopped it. */
  get stopRequested(): boolean {
    return this.#stopRequested;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Signals the program itself. */
  signal(signal: NodeJS.Signals): void {
    if (!this.alive || this.pid === 0) return;
    try {
      process.kill(this.#wrapped ? innerPid(this.pid) : this.pid, signal);
    } catch {
      // It has just ended.
    }
  }

  /** Signals and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<ProcessExit> {
    this.#stopRequested = true;
    this.signal(signal);
    // Signals that reach a stopped process.
    if (signal !== 'SIGKILL') this.signal('SIGCONT');
    return this.ended;
  }

  /** Resolves when it accepts requests (with its URL) or Tasks; with undefined when it exits first. */
  async ready(): Promise<Announcement | undefined> {
    const announced = await this.#announced;
    const url = announced?.url;
    while (url !== undefined && this.alive) {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      if (response?.status === 200) return announced;
      await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
    }
    return this.alive ? announced : undefined;
  }

  /** The first line of its log that names its address or its worker; undefined when it exits without. */
  #readOutput(): Promise<Announcement | undefined> {
    const keep = (line: string) => {
      this.tail.push(line);
      if (this.tail.length > TAIL_LINES) this.tail.shift();
    };
    createInterface({ input: this.#child.stderr! }).on('line', keep);
    return new Promise((resolve) => {
      void this.ended.then(() => resolve(undefined));
      createInterface({ input: this.#child.stdout! }).on('line', (line) => {
        keep(line);
        if (!line.startsWith('{')) return;
        const { url, workerId } = JSON.parse(line) as Announcement & { workerId?: string };
        if (url !== undefined || workerId !== undefined) resolve({ url });
      });
    });
  }
}
