// Any error of a call in the form for screens: one mapper, so that no screen inspects an error by itself.
import type { ErrorData } from '@svc/server/http/trpc/router';
import { noAnswerText } from '../ui/feedback/shown-error.ts';
import type { ErrorCode, FieldError } from '@svc/shared/errors';

export interface Problem {
  /** `unreachable`: no answer came. */
  readonly code: ErrorCode | 'unreachable';
  /** One sentence. */
  readonly message: string;
  readonly details: readonly FieldError[];
  /** Id to give to the server's operator. */
  readonly requestId?: string;
  /** Whether a retry may succeed without any change. */
  readonly retryable: boolean;
}

const RETRYABLE: ReadonlySet<string> = new Set(['unavailable', 'internal', 'rate_limited', 'timeout', 'unreachable']);

/** Error for an object whose deletion the stream of changes reported. `problemOf` treats it like the server's answer. */
export class ObjectDeleted extends Error {
  readonly data: Pick<ErrorData, 'error'>;

  constructor({ kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string }) {
    super(`${kind} ${namespace}/${name} was deleted`);
    this.name = 'ObjectDeleted';
    this.data = { error: { code: 'not_found', message: this.message } };
  }
}

function dataOf(error: unknown): ErrorData | undefined {
  const data = (error as { data?: Partial<ErrorData> | null } | null | undefined)?.data;
  return data?.error ? (data as ErrorData) : undefined;
}

/** Whether no answer of the server came: what was asked may have happened. */
export const isUnanswered = (error: unknown): boolean => problemOf(error).code === 'unreachable';

export function problemOf(error: unknown): Problem {
  const data = dataOf(error);
  if (!data) return { code: 'unreachable', message: noAnswerText(error), details: [], retryable: true };
  const { code, message, details = [] } = data.error;
  return { code, message, details, retryable: RETRYABLE.has(code), ...(data.requestId !== undefined && { requestId: data.requestId }) };
}
