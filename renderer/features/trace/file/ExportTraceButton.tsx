// Saves the whole trace as a file.
import { Download } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../../../ui/feedback/announcer.ts';
import { formatNumber } from '../../../ui/status/format.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { toastError } from '../../../ui/overlay/toast.ts';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { serverNow } from '../../../live/server-clock.ts';
import { client } from '../../../live/api.ts';
import { download } from '../../../ui/text/large-text.ts';
import type { FollowedRun } from '../model/use-run-trace.ts';
import { writeTraceFile } from './trace-file.ts';

export function ExportTraceButton({ run }: { readonly run: FollowedRun }) {
  const [count, setCount] = useState<number | undefined>();
  const save = async () => {
    setCount(0);
    try {
      await exportTrace(run, setCount);
      announce('The trace was exported');
    } catch (error) {
      toastError('The trace could not be exported', error);
    } finally {
      setCount(undefined);
    }
  };
  const label = count === undefined || count === 0 ? 'Export the trace as JSON' : `Exporting, ${formatNumber(count)} entries`;
  return <IconButton label={label} icon={<Download />} busy={count !== undefined} onClick={save} />;
}

/** Reads every page; calls `onProgress` with the number of entries so far. Rejects where another run has the name by now. */
async function allEntries({ namespace, name, uid }: FollowedRun, onProgress: (count: number) => void): Promise<readonly TraceEntry[]> {
  const entries: TraceEntry[] = [];
  let after: string | undefined;
  do {
    const page = await client.runs.trace.query({ namespace, name, uid, ...(after !== undefined && { after }) });
    for (const entry of page.items) entries.push(entry);
    onProgress(entries.length);
    after = page.continue;
  } while (after !== undefined);
  return entries;
}

/** Hands the browser `<name>.trace.json`. Rejects when a page cannot be read. */
async function exportTrace(run: FollowedRun, onProgress: (count: number) => void = () => undefined): Promise<void> {
  const entries = await allEntries(run, onProgress);
  const { namespace, name } = run;
  const complete = entries.at(-1)?.type === 'task_summary';
  const text = writeTraceFile({ exported_at: new Date(serverNow()).toISOString(), task: { namespace, name }, complete, entries });
  download(`${name}.trace.json`, text, 'application/json');
}
