// Orphaned containers and Jobs of ours: the rule that finds them, and the loop that removes them. Never touches a container of a process that may be alive.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../clock.ts';

/** On every container and Job that tools run in; its value is the worker that made it. */
export const OWNER_LABEL = 'svc.owner';
export const PROCESS_LABEL = 'svc.process';
/** When its maker must have removed it, in milliseconds since the epoch. */
export const DEADLINE_LABEL = 'svc.deadline';

/** Past its deadline a container is anybody's to remove: time for its maker to do so, and for clocks that differ. */
const DEADLINE_GRACE_MS = 60_000;
const SWEEP_INTERVAL_MS = 30_000;
/** After a sweep that left something behind, such as a container that its engine was still starting. */
const RETRY_MS = 5_000;

export interface LabelledContainer {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface SweepContext {
  readonly now: number;
  /** Whether the process that made it has provably ended. */
  readonly isGone: (identity: string) => boolean;
}

/** Pure but for what `isGone` reads. */
export function isOrphaned({ labels }: LabelledContainer, { now, isGone }: SweepContext): boolean {
  if (labels[OWNER_LABEL] === undefined) return false;
  const deadline = Number(labels[DEADLINE_LABEL]);
  if (!Number.isFinite(deadline) || deadline === 0) return false;
  if (now > deadline + DEADLINE_GRACE_MS) return true;
  const identity = labels[PROCESS_LABEL];
  return identity !== undefined && isGone(identity);
}

export interface SweeperOptions {
  readonly clock: Clock;
  readonly isGone: (identity: string) => boolean;
  /** All containers with OWNER_LABEL, running or not. */
  readonly list: (signal: AbortSignal) => Promise<readonly LabelledContainer[]>;
  readonly remove: (id: string, signal: AbortSignal) => Promise<void>;
  /** Called for containers that could not be removed. The sweeper ignores an engine that does not answer. */
  readonly reportError: (error: unknown) => void;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  #stopping: AbortController | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stopping) return;
    const stopping = new AbortController();
    // As many as are removed at once listen for the stop.
    setMaxListeners(0, stopping.signal);
    this.#stopping = stopping;
    this.#loop = this.#run(stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    await this.#loop;
  }

  /** Removes what is left over now; resolves to whether nothing is left. */
  async #sweep(signal: AbortSignal): Promise<boolean> {
    const { clock, isGone, list, remove, reportError } = this.#options;
    const context = { now: clock.now(), isGone };
    const orphans = (await list(signal)).filter((container) => isOrphaned(container, context));
    const removed = await Promise.allSettled(orphans.map(({ id }) => remove(id, signal)));
    const failures = removed.filter((result) => result.status === 'rejected');
    for (const { reason } of failures) if (!signal.aborted) reportError(reason);
    return failures.length === 0;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isClean = await this.#sweep(signal).catch(() => true);
      await this.#options.clock.sleep(isClean ? SWEEP_INTERVAL_MS : RETRY_MS, signal).catch(() => undefined);
    }
  }
}
