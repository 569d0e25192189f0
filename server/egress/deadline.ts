// One call's time limit joined with its caller's abort: the first of the two aborts the call, with a CallError as the reason.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { CallError } from '../engine/ports.ts';

export interface Deadline {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** The caller's signal. */
  readonly signal: AbortSignal;
  /** Description of the work, for the message: `model call to ModelEndpoint "a/b"`. */
  readonly what: string;
}

/** Runs `run` with a signal that aborts at the limit or with the caller. Rejects with CallError `timeout` (retryable) or `canceled`. Leaves no timer and no listener behind. */
export async function withDeadline<T>(deadline: Deadline, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal, what } = deadline;
  if (signal.aborted) throw canceled(what, signal);
  const call = new AbortController();
  const done = new AbortController();
  const onAbort = () => call.abort(canceled(what, signal));
  // Many calls of one run share its signal; each takes its listener off again, so a count says nothing.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', onAbort, { once: true });
  const expired = new CallError('timeout', `${what} took longer than ${timeoutMs} ms`, { retryable: true, reason: 'timeout' });
  clock.sleep(timeoutMs, done.signal).then(
    () => call.abort(expired),
    () => undefined,
  );
  try {
    return await run(call.signal);
  } catch (error) {
    // Known facts about where the call ran add to the reason.
    const detailed = error instanceof CallError && error.isolation !== undefined;
    throw call.signal.aborted && !detailed ? call.signal.reason : error;
  } finally {
    done.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

/** The error of a call whose caller aborted; a CallError given as the reason is passed on. */
export function canceled(what: string, signal: AbortSignal): CallError {
  if (signal.reason instanceof CallError) return signal.reason;
  return new CallError('canceled', `${what} was canceled`, { retryable: false, cause: signal.reason });
}

/** `work`, or the signal's reason as soon as it aborts; the work itself continues unobserved. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
