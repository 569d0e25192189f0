// Updates of the app: off without a feed, downloaded and installed on request only, never while work is running, an approval is open or the server is alive.
import type { UpdateState } from '@svc/shared/desktop-api';
import { reasonOf } from './failures.ts';
import type { Question } from './platform-port.ts';

/** electron-updater, as far as it is used. Methods reject with the cause of a failure. */
export interface Updater {
  /** Version that the feed offers, if it is newer. */
  check(): Promise<string | undefined>;
  download(onPercent: (percent: number) => void): Promise<void>;
  /** Closes the windows, then ends the app and installs. `onFailed` is called when the app continues to run. */
  install(onFailed: (error: unknown) => void): void;
}

export interface UpdatesOptions {
  /** Undefined: updates are off. */
  readonly updater: Updater | undefined;
  readonly runningTasks: () => number;
  /** Whether the window shows an approval, on which a person may be about to decide. */
  readonly approvalShown: () => boolean;
  /** Copies the data directory. Rejects when it cannot. */
  readonly backUp: () => Promise<void>;
  /** Drains and ends the server; false when its process is still alive. */
  readonly stopServer: () => Promise<boolean>;
  readonly startServer: () => void;
  /** True before the updater quits the app; false when the app continues. */
  readonly onQuitting: (quitting: boolean) => void;
  readonly onState: (state: UpdateState) => void;
}

const CHECK_EVERY_MS = 6 * 60 * 60_000;
const OFF: UpdateState = { phase: 'off', version: null, percent: null, message: null };

export class Updates {
  readonly #options: UpdatesOptions;
  #state: UpdateState;
  #busy = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#state = options.updater ? { ...OFF, phase: 'idle' } : OFF;
  }

  get state(): UpdateState {
    return this.#state;
  }

  /** Checks now and every six hours. */
  start(): void {
    if (!this.#options.updater) return;
    void this.check();
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks for a newer version. Never rejects; an update that waits is kept. */
  async check(): Promise<UpdateState> {
    const { updater } = this.#options;
    if (!updater || this.#state.phase === 'ready' || this.#state.phase === 'blocked') return this.#state;
    return this.#alone(async () => {
      this.#enter({ phase: 'checking', message: null });
      const version = await updater.check();
      this.#enter({ phase: version === undefined ? 'idle' : 'available', version: version ?? null });
    });
  }

  /** Downloads an available update, then installs it. `blocked` says why it cannot be installed now; the app runs on then. */
  async install(): Promise<UpdateState> {
    const { updater } = this.#options;
    if (!updater) return this.#state;
    return this.#alone(async () => {
      if (this.#state.phase === 'available' || (this.#state.phase === 'failed' && this.#state.version !== null)) {
        this.#enter({ phase: 'downloading', percent: 0, message: null });
        await updater.download((percent) => this.#enter({ percent: Math.max(0, Math.min(100, percent)) }));
        this.#enter({ phase: 'ready', percent: null });
      }
      if (this.#state.phase === 'ready' || this.#state.phase === 'blocked') await this.#installNow(updater);
    });
  }

  async #installNow(updater: Updater): Promise<void> {
    const { runningTasks, approvalShown, backUp, stopServer, startServer, onQuitting } = this.#options;
    const running = runningTasks();
    if (running > 0)
      return this.#enter({
        phase: 'blocked',
        message: `${running} run${running === 1 ? ' is' : 's are'} active: wait for the end, or cancel`,
      });
    if (approvalShown())
      return this.#enter({ phase: 'blocked', message: 'An approval is open: decide it or leave its page, then install the update' });
    if (!(await stopServer()))
      return this.#enter({ phase: 'blocked', message: 'The server did not end: restart the app and install the update then' });
    try {
      await backUp();
    } catch (error) {
      startServer();
      return this.#enter({ phase: 'blocked', message: `The data could not be copied first: ${reasonOf(error)}` });
    }
    this.#enter({ phase: 'installing', message: null });
    const onFailed = (error: unknown) => {
      onQuitting(false);
      startServer();
      this.#enter({ phase: 'failed', message: reasonOf(error) });
    };
    onQuitting(true);
    try {
      updater.install(onFailed);
    } catch (error) {
      onFailed(error);
    }
  }

  async #alone(work: () => Promise<void>): Promise<UpdateState> {
    if (this.#busy) return this.#state;
    this.#busy = true;
    try {
      await work();
    } catch (error) {
      this.#enter({ phase: 'failed', percent: null, message: reasonOf(error) });
    } finally {
      this.#busy = false;
    }
    return this.#state;
  }

  #enter(changes: Partial<UpdateState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#options.onState(this.#state);
  }
}

/** Outcome of a check, as a question where there is something to install. */
function outcomeOf({ phase, version, message }: UpdateState): Question {
  if (phase === 'off') return { message: 'Updates are off', detail: 'This installation names no update server.' };
  if (phase === 'idle') return { message: 'This is the newest version', detail: '' };
  if (phase === 'failed' && version === null) return { message: 'The check for updates failed', detail: message ?? '' };
  if (phase === 'checking' || phase === 'downloading' || phase === 'installing')
    return { message: 'An update is already in progress', detail: '' };
  const detail = 'A copy of your data is made first, and the app starts again. Updates wait for active runs.';
  return { message: `Version ${version} is available`, detail, yes: 'Install and Restart' };
}

/** Check by a command of the menu: its outcome is a dialog, even while no console is shown. */
export async function checkWithDialogs(updates: Updates, confirm: (question: Question) => Promise<boolean>): Promise<void> {
  if (!(await confirm(outcomeOf(await updates.check())))) return;
  const { phase, message } = await updates.install();
  if (phase === 'blocked' || phase === 'failed') await confirm({ message: 'The update was not installed', detail: message ?? '' });
}
