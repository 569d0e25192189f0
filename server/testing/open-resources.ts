// Finds what a test file leaves open in its process: servers, connections, child processes and worker threads.
import { setTimeout as sleep } from 'node:timers/promises';

/** Names as in `process.getActiveResourcesInfo()`. Timers are left out: libraries hold some for good. */
const COUNTED = ['TCPServerWrap', 'TCPSocketWrap', 'PipeServerWrap', 'ProcessWrap', 'MessagePort', 'FSEvent'];

type Counts = ReadonlyMap<string, number>;

function openResources(): Counts {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) if (COUNTED.includes(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

const added = (before: Counts): string[] =>
  [...openResources()].flatMap(([type, count]) => {
    const more = count - (before.get(type) ?? 0);
    return more > 0 ? [`${more} ${type}`] : [];
  });

/**
 * Call at the beginning of a file; call the answer at its end. It rejects with what is open since, if it does not close within `withinMs`.
 * The default is above the 4 s for which `fetch` keeps an idle connection to a server that is still up, on a busy machine too.
 */
export function watchOpenResources(withinMs = 15_000): () => Promise<void> {
  const before = openResources();
  return async () => {
    const until = performance.now() + withinMs;
    while (added(before).length > 0 && performance.now() < until) await sleep(20);
    const left = added(before);
    if (left.length > 0)
      throw new Error(`The file leaves open: ${left.join(', ')}. End what it starts, e.g. with atFileEnd of server/testing/file-end.ts.`);
  };
}
