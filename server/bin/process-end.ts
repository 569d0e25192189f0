// End of a process that serves: by signals, by errors that nothing caught, by a supervisor. It stops once, within a grace.
import type { Logger } from '../log/log.ts';

const EXIT_FAILED = 1;
/** Signals within this time of the first one repeat it: shells, wrappers and groups of processes deliver one stop more than once. */
const SAME_STOP_MS = 1000;

export interface Ending {
  readonly graceMs: number;
  readonly log: Logger;
  /** Stops within this time, or the process ends without it. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** Stops once, with this exit code; a stop that hangs past the grace ends the process at once. A failure during the stop sets the exit code too. */
export function stopper({ graceMs: ownGraceMs, log, stop }: Ending): (exitCode: number, graceMs?: number) => void {
  let stopping = false;
  let worst = 0;
  return (exitCode, graceMs = ownGraceMs) => {
    worst = Math.max(worst, exitCode);
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.error({ graceMs }, 'shutdown took longer than its grace; ending');
      process.exit(EXIT_FAILED);
    }, graceMs).unref();
    stop(graceMs).then(
      () => process.exit(worst),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(EXIT_FAILED);
      },
    );
  };
}

const STOPS = ['SIGTERM', 'SIGINT'] as const;

/**
 * SIGTERM and SIGINT end a process that is still starting, with exit code 0. The first process of a container ignores signals that it has no
 * handler for. Returns a function that removes the handlers.
 */
export function endOnSignals(): () => void {
  const end = () => process.exit(0);
  for (const signal of STOPS) process.on(signal, end);
  return () => {
    for (const signal of STOPS) process.off(signal, end);
  };
}

/** SIGTERM and SIGINT stop the process, a later one ends it at once. An error that nothing caught stops it with a failing exit code. */
export function stopOnSignals(log: Logger, stop: (exitCode: number) => void): void {
  let stopping = false;
  let mayEndAtOnce = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (mayEndAtOnce) process.exit(EXIT_FAILED);
    if (stopping) return;
    stopping = true;
    setTimeout(() => (mayEndAtOnce = true), SAME_STOP_MS).unref();
    log.info({ signal }, 'stopping');
    stop(0);
  };
  const onBug = (error: unknown) => {
    log.error({ err: error }, 'uncaught error; stopping');
    stop(EXIT_FAILED);
  };
  for (const signal of STOPS) process.on(signal, onSignal);
  process.on('uncaughtException', onBug);
  process.on('unhandledRejection', onBug);
}
