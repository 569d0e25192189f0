// A wait for work that has a limit.
import { WOKEN, type Clock } from './clock.ts';

export interface WaitLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/** True once the work has ended, also by a failure; false when the limit comes first. */
export async function endsWithin(work: Promise<unknown> | undefined, { clock, ms, signal }: WaitLimit): Promise<boolean> {
  const timer = new AbortController();
  const ended = () => true;
  const late = () => false;
  const limit = clock.sleep(ms, signal ? AbortSignal.any([timer.signal, signal]) : timer.signal).then(late, late);
  const inTime = await Promise.race([Promise.resolve(work).then(ended, ended), limit]);
  timer.abort(WOKEN);
  return inTime;
}
