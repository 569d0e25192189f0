// Reads a trace from an untrusted file. Loaded on demand, since it includes the schema of entries.
import { traceEntry, type TraceEntry } from '@svc/shared/kinds/task/records';
import { formatBytes } from '../../../ui/status/format.ts';
import { TRACE_FILE_FORMAT, TRACE_FILE_VERSION, type TraceFile } from './trace-file.ts';

/** Beyond this size the browser would run out of memory. */
const TRACE_FILE_MAX_BYTES = 512 * 1024 * 1024;

/** Entries parsed in one go: about a twentieth of a second. */
const STRETCH_ENTRIES = 2_000;

/** Reason why a file is not a trace, in a sentence for the person who opened it. */
class TraceFileError extends Error {
  override readonly name = 'TraceFileError';
  readonly code = 'invalid';
}

const refuse = (message: string): never => {
  throw new TraceFileError(message);
};

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('This file is not JSON, or it was cut off. Export the trace again and open the file as it is.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('This file holds no trace: it should begin with { "format": "svc-trace" … }.');
  return value as Readonly<Record<string, unknown>>;
}

function textAt(value: unknown, path: string): string {
  return typeof value === 'string' && value !== '' ? value : refuse(`"${path}" should be a text; this file was not written by an export.`);
}

/** A newer server may add fields, which are kept unread. Created once: creating it costs far more than a parse. */
const readable = traceEntry.loose();

function entryAt(value: unknown, index: number): TraceEntry {
  const result = readable.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    return refuse(`Entry ${index + 1} is not one of a trace: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
  }
  if (!Number.isFinite(Date.parse(result.data.timestamp)))
    return refuse(`Entry ${index + 1} has no moment: timestamp "${result.data.timestamp}" is not a time.`);
  return result.data;
}

/** Header of the file, and its entries not yet parsed. */
function opened(text: string): { readonly file: Omit<TraceFile, 'entries'>; readonly entries: readonly unknown[] } {
  const { format, version, exported_at, task, complete, entries } = parsed(text);
  if (format !== TRACE_FILE_FORMAT)
    return refuse(
      `This file holds no trace: its format is ${format === undefined ? 'not said' : JSON.stringify(format)}, not "${TRACE_FILE_FORMAT}".`,
    );
  if (typeof version !== 'number' || version < 1) return refuse('The version of the format should be a number from 1.');
  if (version > TRACE_FILE_VERSION)
    return refuse(
      `This trace was written in version ${version} of the format; this console reads up to ${TRACE_FILE_VERSION}. Open it in a newer one.`,
    );
  const owner = (typeof task === 'object' && task !== null ? task : {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(entries)) return refuse('"entries" should be the list of what happened.');
  const file = {
    format,
    version: TRACE_FILE_VERSION,
    exported_at: textAt(exported_at, 'exported_at'),
    task: { namespace: textAt(owner['namespace'], 'task.namespace'), name: textAt(owner['name'], 'task.name') },
    complete: complete === true,
  } as const;
  return { file, entries };
}

/**
 * Parses in stretches, between which the page can be painted. Rejects with `TraceFileError` for any content that no export of this or an
 * older version wrote.
 */
export async function readTraceFile(text: string, onProgress: (read: number) => void = () => undefined): Promise<TraceFile> {
  const { file, entries } = opened(text);
  const taken: TraceEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    taken.push(entryAt(entry, index));
    if (taken.length % STRETCH_ENTRIES !== 0) continue;
    onProgress(taken.length / entries.length);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { ...file, entries: taken };
}

/** Reads a chosen file. Rejects with `TraceFileError`. */
export async function readTraceBlob(file: Blob, onProgress: (read: number) => void): Promise<TraceFile> {
  if (file.size > TRACE_FILE_MAX_BYTES)
    return refuse(`The file has ${formatBytes(file.size)}; at most ${formatBytes(TRACE_FILE_MAX_BYTES)} are read.`);
  return readTraceFile(await file.text(), onProgress);
}
