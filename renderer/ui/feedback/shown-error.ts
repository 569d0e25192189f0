// An error as the console shows it, whatever layer it came from. live/ creates these from the server's answers.
import { filledText } from '@svc/shared/json';

interface ShownFieldError {
  readonly path: string;
  readonly message: string;
}

export interface ShownError {
  /** From the closed set of codes, or `unreachable` and `unknown` without an answer of the server. */
  readonly code: string;
  readonly message: string;
  readonly details?: readonly ShownFieldError[] | undefined;
  readonly requestId?: string | undefined;
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function fieldErrors(value: unknown): ShownFieldError[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((each) => ({ path: filledText(record(each).path) ?? '', message: filledText(record(each).message) ?? '' }));
}

/** The name stands for another object than the intended one: it was deleted and created again. */
export function isAnotherObject({ code, details }: ShownError): boolean {
  return code === 'conflict' && details?.some(({ path }) => path === 'metadata.uid') === true;
}

/** Message of a call without an answer of the server; it names the HTTP status of a proxy that answered instead. */
export function noAnswerText(error: unknown): string {
  const { status } = record(record(record(error).meta).response);
  return typeof status === 'number'
    ? `The server did not answer: HTTP ${status} came from something else, such as a proxy in front of it.`
    : 'The server did not answer. Check that it runs and that this machine can reach it.';
}

/** Reads the properties of the console's errors: `code`, `details`, `requestId` on the error itself or on its `data`. Never throws. */
export function shownError(error: unknown): ShownError {
  const outer = record(error);
  const data = record(outer.data);
  const own = record(data.error);
  const message = filledText(own.message) ?? filledText(outer.message) ?? filledText(error) ?? 'Something went wrong.';
  // A failed call without an error of the server: no answer, or one of another program.
  const unreachable = /failed to fetch|networkerror|load failed/i.test(message) || (outer.name === 'TRPCClientError' && !data.error);
  return {
    code:
      filledText(own.code) ??
      filledText(data.errorCode) ??
      filledText(outer.code) ??
      filledText(data.code) ??
      (unreachable ? 'unreachable' : 'unknown'),
    message: unreachable ? noAnswerText(error) : message,
    details: fieldErrors(own.details ?? data.details ?? outer.details),
    requestId: filledText(data.requestId) ?? filledText(outer.requestId),
  };
}

/** All of it at once, for a bug report. */
export function errorReport(error: ShownError): string {
  const lines = [
    `${error.code}: ${error.message}`,
    ...(error.details ?? []).map((each) => `  ${each.path || '(object)'}: ${each.message}`),
  ];
  if (error.requestId) lines.push(`request id: ${error.requestId}`);
  return lines.join('\n');
}
