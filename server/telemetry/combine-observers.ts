// Several observers as one that never throws: a fault in measuring must not become a fault of the run.
import { Counter, type Registry } from 'prom-client';
import type { RunObserver } from '../engine/observer.ts';
import type { Logger } from '../log/log.ts';

export interface CombineOptions {
  readonly registry: Registry;
  readonly log: Logger;
}

/** Calls each observer in turn. A failure is counted; the first one is logged. */
export function combineObservers(observers: readonly RunObserver[], { registry, log }: CombineOptions): RunObserver {
  const failures = new Counter({ name: 'svc_observer_failures_total', help: 'Faults while measuring runs.', registers: [registry] });
  let reported = false;
  const notify = (call: (observer: RunObserver) => void): void => {
    for (const observer of observers) {
      try {
        call(observer);
      } catch (error) {
        failures.inc();
        if (!reported) log.error({ err: error }, 'measuring a run failed; the run continues, its metrics may be wrong');
        reported = true;
      }
    }
  };
  return {
    claimed: (...news) => notify((observer) => observer.claimed(...news)),
    recorded: (...news) => notify((observer) => observer.recorded(...news)),
    leaseLost: (...news) => notify((observer) => observer.leaseLost(...news)),
  };
}
