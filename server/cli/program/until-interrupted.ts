// Work that lasts until Ctrl-C, which ends it in order instead of killing the process.
import type { Terminal } from './terminal.ts';

/** Runs `work` with a signal that Ctrl-C aborts; answers whether it did. A second Ctrl-C ends the process. */
export async function untilInterrupted(terminal: Terminal, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const controller = new AbortController();
  const release = terminal.onInterrupt(() => {
    release();
    controller.abort();
  });
  try {
    await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    release();
  }
  return controller.signal.aborted;
}
