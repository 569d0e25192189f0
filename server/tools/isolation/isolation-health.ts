// Availability of the isolation backends of this process, probed at intervals, so that no reader waits for an engine. Logs each change.
import type { Clock } from '../../clock.ts';
import { CallError } from '../../engine/ports.ts';
import type { Logger } from '../../log/log.ts';
import { ENGINE_MODES, type EngineName, type Isolation, type IsolationEngine } from './isolation.ts';

export interface BackendState {
  readonly backend: EngineName;
  /** Values of `runtime.isolation_mode` that it runs. */
  readonly modes: readonly string[];
  readonly available: boolean;
  /** The engine that answers, and where. */
  readonly engine?: string;
  /** Why it is not, and what to do. */
  readonly message?: string;
}

export interface IsolationHealthOptions {
  readonly isolation: Isolation;
  readonly clock: Clock;
  readonly log: Logger;
  /** The operator demands containers: their absence is an error rather than news. */
  readonly containersRequired: boolean;
}

const LOOK_INTERVAL_MS = 10_000;
const NOT_CONFIGURED: Readonly<Record<EngineName, string>> = {
  docker: 'this worker has no container engine (--tool-isolation-backend none)',
  kubernetes: 'this worker runs without --enable-kubernetes-isolation',
};

export class IsolationHealth {
  readonly #options: IsolationHealthOptions;
  readonly #stopping = new AbortController();
  #states: readonly BackendState[] = [];
  #loop: Promise<void> | undefined;

  constructor(options: IsolationHealthOptions) {
    this.#options = options;
  }

  /** State at the last check; empty before the first. */
  states(): readonly BackendState[] {
    return this.#states;
  }

  /** Looks at every backend. Never rejects. */
  async runOnce(): Promise<void> {
    const { isolation } = this.#options;
    const names = Object.keys(ENGINE_MODES) as EngineName[];
    const before = this.#states;
    this.#states = await Promise.all(
      names.map(async (backend) => {
        const engine = isolation.engines.find(({ name }) => name === backend);
        const found = engine ? await checked(engine) : { message: NOT_CONFIGURED[backend] };
        return { backend, modes: ENGINE_MODES[backend], available: 'engine' in found, ...found };
      }),
    );
    for (const state of this.#states)
      this.#report(
        state,
        before.find(({ backend }) => backend === state.backend),
      );
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Idempotent; safe when never started. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  #report(state: BackendState, before: BackendState | undefined): void {
    const { log, isolation, containersRequired } = this.#options;
    const configured = isolation.engines.some(({ name }) => name === state.backend);
    if (!configured || (before?.available === state.available && before.engine === state.engine)) return;
    const { backend, modes, message, engine } = state;
    if (state.available) return log.info({ backend, modes, engine }, 'tools can be isolated');
    const level = containersRequired || before ? 'error' : 'info';
    log[level]({ backend, modes }, `tools of these isolation modes cannot run: ${message}`);
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await clock.sleep(LOOK_INTERVAL_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.runOnce();
    }
  }
}

async function checked(engine: IsolationEngine): Promise<{ readonly engine: string } | { readonly message: string }> {
  try {
    return { engine: await engine.check() };
  } catch (error) {
    return { message: error instanceof CallError ? error.message : 'its engine could not be reached' };
  }
}
