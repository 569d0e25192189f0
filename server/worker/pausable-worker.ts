// A worker that can be paused: it gives its runs back at their safe points, and another one takes its place when the pause is lifted.
import { createWorker, type Worker, type WorkerOptions } from './worker.ts';

export interface PausableWorker extends Pick<Worker, 'start' | 'stop' | 'wake' | 'renew' | 'held'> {
  /** Resolves when everything was released, or when it claims again. Does nothing before the start and after the end. */
  pause(paused: boolean): Promise<void>;
}

export function createPausableWorker(options: WorkerOptions): PausableWorker {
  let worker = createWorker(options);
  let state: 'new' | 'working' | 'paused' | 'stopped' = 'new';
  /** Changes happen one after the other: work resumes once everything was released. */
  let settling = Promise.resolve();
  const setPaused = async (paused: boolean): Promise<void> => {
    if (state !== (paused ? 'working' : 'paused')) return;
    state = paused ? 'paused' : 'working';
    if (paused) return worker.stop();
    worker = createWorker(options);
    worker.start();
  };
  return {
    start() {
      state = 'working';
      worker.start();
    },
    stop() {
      state = 'stopped';
      return worker.stop();
    },
    pause: (paused) => (settling = settling.then(() => setPaused(paused))),
    wake: () => void (state === 'working' && worker.wake()),
    renew: async () => state !== 'working' || worker.renew(),
    held: () => worker.held(),
  };
}
