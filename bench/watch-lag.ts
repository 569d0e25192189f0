// How late a watcher of one server sees what was written through another: from the acknowledged write to the event.
import { compared, percentile, type Row } from './row.ts';
import { post, watchTasks } from './task-load.ts';

const WRITES = 300;
const WARM_UP = 50;

interface Lag {
  readonly acknowledgedMs: number[];
  readonly seenMs: number[];
}

/** Writes one object after the other through `writeUrl` while a watch of `watchUrl` is open. */
async function lagOf(writeUrl: string, watchUrl: string): Promise<Lag> {
  const abort = new AbortController();
  const waiting = new Map<string, (at: number) => void>();
  await watchTasks(watchUrl, ({ name }) => waiting.get(name)?.(performance.now()), abort.signal);
  const lag: Lag = { acknowledgedMs: [], seenMs: [] };
  for (let n = 0; n < WARM_UP + WRITES; n += 1) {
    const name = `lag-${n}`;
    const seen = new Promise<number>((resolve) => waiting.set(name, resolve));
    const began = performance.now();
    await post(`${writeUrl}/v1/tasks`, { kind: 'Task', metadata: { name }, spec: { system: 'none', mode: 'template' } });
    const acknowledged = performance.now();
    // An event may overtake the answer to its own write.
    const late = Math.max(0, (await seen) - acknowledged);
    if (n < WARM_UP) continue;
    lag.acknowledgedMs.push(acknowledged - began);
    lag.seenMs.push(late);
  }
  abort.abort();
  return lag;
}

export async function watchLagRows(writeUrl: string, watchUrl: string): Promise<Row[]> {
  const { acknowledgedMs, seenMs } = await lagOf(writeUrl, watchUrl);
  return [50, 99].map((p) =>
    compared({
      name: `watch lag from one server to another, p${p}`,
      value: percentile(seenMs, p),
      unit: 'ms',
      reference: percentile(acknowledgedMs, p),
      referenceName: 'the write itself',
      note: 'acknowledged write → event',
    }),
  );
}
