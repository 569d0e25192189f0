// Ends of runs that come together are one transaction: one commit instead of many. A group that fails is written run by run, so that none holds up another.
import { isUnavailable } from '@svc/shared/errors';
import type { Store } from '../../store/store.ts';
import type { RunListeners } from '../run-listeners.ts';
import { writeEnds, writeRun, type RunWrite } from './commit.ts';

/** Groups in flight at once; ends that come meanwhile go into the next. More than one, so that a group that waits for a lock does not stop the others. */
const GROUPS_MAX = 2;
/** Runs in one group: bounds how long its rows stay locked. */
const GROUP_MAX = 64;

/** Writes the end of a run. Throws as a transaction of its own would. */
export type WriteEnd = (end: RunWrite) => Promise<unknown>;

interface Waiting {
  readonly end: RunWrite;
  readonly settle: (written: Promise<unknown>) => void;
}

export function createEndWriter(store: Pick<Store, 'transaction'>, listeners: RunListeners): WriteEnd {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let scheduled = false;
  const alone = (end: RunWrite) => store.transaction((tx) => writeRun(tx, end, listeners));
  const writeGroup = async (group: readonly Waiting[]): Promise<void> => {
    const ends = group.map(({ end }) => end);
    const written = ends.length > 1 ? store.transaction((tx) => writeEnds(tx, ends, listeners)) : undefined;
    const failure = await written?.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // Whether a lost commit was made is for each run to find out in its journal.
    const unknown = isUnavailable(failure?.error);
    const results = group.map(({ end, settle }) => {
      const result = written && (!failure || unknown) ? written : alone(end);
      settle(result);
      return result;
    });
    await Promise.allSettled(results);
  };
  const flush = (): void => {
    scheduled = false;
    while (waiting.length > 0 && underWay < GROUPS_MAX) {
      const group = waiting.splice(0, GROUP_MAX);
      underWay += 1;
      void writeGroup(group).finally(() => {
        underWay -= 1;
        flush();
      });
    }
  };
  return (end) =>
    new Promise((resolve) => {
      waiting.push({ end, settle: resolve });
      // Ends of the same turn of the event loop go together.
      if (!scheduled) setImmediate(flush);
      scheduled = true;
    });
}
