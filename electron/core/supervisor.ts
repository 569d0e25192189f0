// Supervises the server process: start, readiness, crash, backoff, upgrade, drain, stop. It is independent of Electron; a host forks the process.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import {
  CONTROL_PROTOCOL,
  EXIT_CONFIG,
  EXIT_LOCKED,
  FATALS,
  parseFromServer,
  type Bootstrap,
  type FromServer,
  type ToServer,
} from '@svc/shared/control';
import type { BackendState } from '@svc/shared/desktop-api';
import { redact } from './log-file.ts';

export interface ServerChild {
  readonly pid: number | undefined;
  send(message: ToServer): void;
  /** Ends the process at once. */
  kill(): void;
}

export interface ChildEvents {
  onMessage(message: unknown): void;
  /** One line of standard output or error. */
  onLine(line: string): void;
  /** Exit code; null after a signal. Called once. */
  onExit(code: number | null): void;
}

export interface ServerHost {
  start(events: ChildEvents): ServerChild;
}

/** Timers as an argument, for tests. */
export interface Timers {
  now(): number;
  /** Returns a function that cancels. */
  after(ms: number, action: () => void): () => void;
}

export interface SupervisorOptions {
  readonly host: ServerHost;
  readonly timers: Timers;
  /** Version of the app; a server of a different version is refused. */
  readonly version: string;
  /** Settings of the next start. */
  readonly bootstrap: () => Bootstrap;
  readonly onState: (state: BackendState) => void;
  /** Messages that the supervisor does not handle. */
  readonly onMessage: (message: FromServer) => void;
  readonly onLine: (line: string) => void;
  /** Address of a server that owns the data directory, if one answers. */
  readonly findOther: () => Promise<string | null>;
}

type Problem = NonNullable<BackendState['problem']>;

const RESTART: BackoffRule = { backoffMs: 500, maxBackoffMs: 10_000, jitter: 'none' };
const EXITS_MAX = 5;
const SILENCES_MAX = 3;
const READY_TIMEOUT_MS = 60_000;
/** A server that was ready for this long starts with no record of failures. */
const STABLE_MS = 60_000;
/** Time after the shutdown grace of the server until it is killed. */
const KILL_AFTER_MS = 2_000;
const LOG_LINES = 50;

const CRASHED: Problem = {
  code: 'CRASHED',
  message: 'The server ended several times before it was ready',
  hint: 'Read its log, or start it in safe mode.',
};
const SILENT: Problem = {
  code: 'SILENT',
  message: 'The server started several times and did not become ready',
  hint: 'Check that the disk or mount of the data directory answers, read the log, or start it in safe mode.',
};

export const IDLE: BackendState = { phase: 'idle', origin: null, attempt: 0, migration: null, problem: null, attachable: null, log: [] };

export class Supervisor {
  readonly #options: SupervisorOptions;
  #state: BackendState = IDLE;
  #child: ServerChild | undefined;
  #lines: string[] = [];
  #failures = 0;
  #silences = 0;
  #readyAt: number | undefined;
  #fatal: Problem | undefined;
  #cancelTimer: () => void = () => undefined;
  /** Resolves the promises of stops when the process is gone. */
  #gone: (() => void)[] = [];

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get state(): BackendState {
    return this.#state;
  }

  /** Starts the server unless it runs; forgets earlier failures. */
  start(): void {
    if (this.#child) return;
    this.#failures = 0;
    this.#silences = 0;
    this.#launch();
  }

  /** Reports a problem that keeps the server from being started at all. */
  refuse(problem: Problem): void {
    if (!this.#child) this.#enter({ phase: 'failed', problem });
  }

  send(message: ToServer): void {
    this.#child?.send(message);
  }

  /** Drains and ends the server. Resolves with whether its process is gone: an update must not be installed before. Idempotent. */
  async stop(graceMs: number): Promise<boolean> {
    this.#cancelTimer();
    if (!this.#child) {
      this.#enter({ phase: 'stopped' });
      return true;
    }
    const child = this.#child;
    const gone = new Promise<true>((resolve) => this.#gone.push(() => resolve(true)));
    if (this.#state.phase !== 'draining') {
      this.#enter({ phase: 'draining' });
      child.send({ type: 'shutdown', graceMs });
    }
    if (await this.#within(gone, graceMs + KILL_AFTER_MS)) return true;
    child.kill();
    return this.#within(gone, KILL_AFTER_MS);
  }

  async #within(gone: Promise<true>, ms: number): Promise<boolean> {
    let cancel: () => void = () => undefined;
    const late = new Promise<false>((resolve) => (cancel = this.#options.timers.after(ms, () => resolve(false))));
    const result = await Promise.race([gone, late]);
    cancel();
    return result;
  }

  #launch(): void {
    this.#fatal = undefined;
    this.#readyAt = undefined;
    this.#lines = [];
    this.#enter({ phase: 'starting', problem: null, attachable: null, attempt: this.#failures + 1 });
    const bootstrap = this.#options.bootstrap();
    const child: ServerChild = this.#options.host.start({
      onMessage: (message) => this.#child === child && this.#receive(message),
      onLine: (line) => this.#note(line),
      onExit: (code) => this.#child === child && this.#ended(code),
    });
    this.#child = child;
    this.#waitForReady();
    child.send(bootstrap);
  }

  /** The wait begins again with each step of an upgrade, which may take long. */
  #waitForReady(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.timers.after(READY_TIMEOUT_MS, () => {
      this.#silences += 1;
      if (this.#silences >= SILENCES_MAX) this.#fatal = SILENT;
      this.#child?.kill();
    });
  }

  #receive(raw: unknown): void {
    const parsed = parseFromServer(raw);
    if (!parsed.ok) return this.#refuseServer(`The server sent a message of an unknown form: ${parsed.problem}`);
    const { message } = parsed;
    if (message.type === 'hello') {
      if (message.protocol !== CONTROL_PROTOCOL || message.version !== this.#options.version)
        this.#refuseServer(`The server is version ${message.version}, and the app is ${this.#options.version}`);
    } else if (message.type === 'migrating') {
      // The step of a server that is to end.
      if (this.#state.phase === 'draining') return;
      this.#waitForReady();
      this.#enter({ phase: 'migrating', migration: { step: message.step, total: message.total } });
    } else if (message.type === 'ready') this.#ready(message.origin);
    else if (message.type === 'fatal') this.#fatal = { code: message.code, message: message.message, hint: message.hint };
    else this.#options.onMessage(message);
  }

  /** Kills an incompatible server, without a restart. */
  #refuseServer(message: string): void {
    this.#fatal = { code: 'BAD_BOOTSTRAP', message, hint: FATALS.BAD_BOOTSTRAP.hint };
    this.#child?.kill();
  }

  #ready(origin: string): void {
    if (this.#state.phase === 'draining') return;
    this.#cancelTimer();
    this.#readyAt = this.#options.timers.now();
    this.#silences = 0;
    this.#enter({ phase: 'ready', origin, migration: null, attachable: null });
  }

  #ended(code: number | null): void {
    this.#child = undefined;
    this.#cancelTimer();
    for (const resolve of this.#gone.splice(0)) resolve();
    if (this.#state.phase === 'draining') return this.#enter({ phase: 'stopped' });
    const lasted = this.#readyAt !== undefined && this.#options.timers.now() - this.#readyAt >= STABLE_MS;
    this.#failures = lasted ? 1 : this.#failures + 1;
    const problem = this.#finalProblem(code);
    if (problem) return this.#fail(problem);
    const wait = backoffMs(RESTART, { failures: this.#failures, random: 0 });
    this.#enter({ phase: 'backoff', problem: this.#fatal ?? null });
    this.#cancelTimer = this.#options.timers.after(wait, () => this.#launch());
  }

  /** Problem after which no restart helps. */
  #finalProblem(code: number | null): Problem | undefined {
    const fatal = this.#fatal;
    if (fatal && (fatal === SILENT || fatal.code === 'BAD_BOOTSTRAP')) return fatal;
    if (code === EXIT_LOCKED || code === EXIT_CONFIG)
      return (
        fatal ?? {
          code: code === EXIT_LOCKED ? 'LOCKED' : 'BAD_CONFIG',
          message: `The server ended with code ${code}`,
          hint: FATALS.START_FAILED.hint,
        }
      );
    return this.#failures > EXITS_MAX ? (fatal ?? CRASHED) : undefined;
  }

  #fail(problem: Problem): void {
    this.#enter({ phase: 'failed', problem });
    if (problem.code !== 'LOCKED') return;
    void this.#options.findOther().then((attachable) => {
      if (this.#state.phase === 'failed') this.#enter({ attachable });
    });
  }

  #note(line: string): void {
    this.#options.onLine(line);
    // Shown on the boot page and copied into reports.
    this.#lines = [...this.#lines, redact(line)].slice(-LOG_LINES);
  }

  #enter(changes: Partial<BackendState>): void {
    const next = { ...this.#state, ...changes };
    const up = next.phase === 'ready';
    this.#state = { ...next, origin: up ? next.origin : null, problem: up ? null : next.problem, log: up ? [] : this.#lines };
    this.#options.onState(this.#state);
  }
}
