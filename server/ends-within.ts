// A wait for work that has a limit.
import { WOKEN, type Clock } from './clock.ts';

/** True once the work has ended, failed or not; false when it still goes on after that time. */
export async function endsWithin(work: Promise<unknown>, { clock, ms }: { readonly clock: Clock; readonly ms: number }): Promise<boolean> {
  const timer = new AbortController();
  const ended = () => true;
  const late = clock.sleep(ms, timer.signal).then(
    () => false,
    () => false,
  );
  const inTime = await Promise.race([work.then(ended, ended), late]);
  timer.abort(WOKEN);
  return inTime;
}
