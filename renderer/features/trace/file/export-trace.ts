// All pages of a trace as one file, also when it is too long for the screen.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { serverNow } from '../../../live/server-clock.ts';
import { client } from '../../../live/api.ts';
import { download } from '../../../ui/large-text.ts';
import { writeTraceFile } from './trace-file.ts';
import type { RunRef } from '../model/use-run-trace.ts';

/** Reads every page; calls `onProgress` with the number of entries so far. */
export async function allEntries(run: RunRef, onProgress: (count: number) => void): Promise<readonly TraceEntry[]> {
  const entries: TraceEntry[] = [];
  let after: string | undefined;
  do {
    const page = await client.runs.trace.query({ ...run, ...(after !== undefined && { after }) });
    for (const entry of page.items) entries.push(entry);
    onProgress(entries.length);
    after = page.continue;
  } while (after !== undefined);
  return entries;
}

/** Hands the browser `<name>.trace.json`. Rejects when a page cannot be read. */
export async function exportTrace(run: RunRef, onProgress: (count: number) => void = () => undefined): Promise<void> {
  const entries = await allEntries(run, onProgress);
  const { namespace, name } = run;
  const complete = entries.at(-1)?.type === 'task_summary';
  const text = writeTraceFile({ exported_at: new Date(serverNow()).toISOString(), task: { namespace, name }, complete, entries });
  download(`${name}.trace.json`, text, 'application/json');
}
