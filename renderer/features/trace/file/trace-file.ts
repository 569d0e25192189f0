// A trace as a file, with a version of its format. Written here; read-trace-file.ts reads it and includes the schemas.
import type { TraceEntry } from '@svc/shared/kinds/task/records';

export const TRACE_FILE_FORMAT = 'svc-trace';
export const TRACE_FILE_VERSION = 1;

export interface TraceFile {
  readonly format: typeof TRACE_FILE_FORMAT;
  readonly version: typeof TRACE_FILE_VERSION;
  /** RFC 3339. */
  readonly exported_at: string;
  readonly task: { readonly namespace: string; readonly name: string };
  /** False when the run was still open. */
  readonly complete: boolean;
  readonly entries: readonly TraceEntry[];
}

export function writeTraceFile(file: Omit<TraceFile, 'format' | 'version'>): string {
  return JSON.stringify({ format: TRACE_FILE_FORMAT, version: TRACE_FILE_VERSION, ...file });
}
