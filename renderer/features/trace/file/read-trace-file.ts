// Reads a trace from an untrusted file. Loaded on demand, since it includes the schema of entries.
import { isObject } from '@svc/shared/json';
import { traceEntry, type TraceEntry } from '@svc/shared/kinds/task/records';
import { filledTextAt, isMoment, openExport, readItems, readText, refuse } from '../../../ui/file/exported-file.ts';
import { TRACE_FILE_FORMAT, TRACE_FILE_VERSION, type TraceFile } from './trace-file.ts';

/** Beyond this size the browser would run out of memory. */
const TRACE_FILE_MAX_BYTES = 512 * 1024 * 1024;

/** A newer server may add fields, which are kept unread. Created once: creating it costs far more than a parse. */
const readable = traceEntry.loose();

function entryAt(value: unknown, index: number): TraceEntry {
  const result = readable.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    return refuse(`Entry ${index + 1} does not belong to a trace: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
  }
  if (!isMoment(result.data.timestamp))
    return refuse(`Entry ${index + 1} has no moment: timestamp "${result.data.timestamp}" is not a time.`);
  return result.data;
}

/** Rejects, with a sentence for the person, for any content that no export of this or an older version wrote. */
export async function readTraceFile(text: string, onProgress: (part: number) => void = () => undefined): Promise<TraceFile> {
  const { exported_at, task, complete, entries } = openExport(text, { format: TRACE_FILE_FORMAT, version: TRACE_FILE_VERSION });
  const owner = isObject(task) ? task : {};
  if (!Array.isArray(entries)) return refuse('"entries" should be the list of what happened.');
  const head = {
    format: TRACE_FILE_FORMAT,
    version: TRACE_FILE_VERSION,
    exported_at,
    task: { namespace: filledTextAt(owner['namespace'], 'task.namespace'), name: filledTextAt(owner['name'], 'task.name') },
    complete: complete === true,
  } as const;
  return { ...head, entries: await readItems(entries, entryAt, onProgress) };
}

/** Reads a chosen file, in the same way. */
export async function readTraceBlob(file: Blob, onProgress: (part: number) => void): Promise<TraceFile> {
  return readTraceFile(await readText(file, TRACE_FILE_MAX_BYTES), onProgress);
}
