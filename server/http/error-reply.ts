// The one mapper from anything thrown to a response. Unknown errors tell the client nothing but the request id to ask about.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@svc/shared/errors';
import type { Logger } from '../log/log.ts';
import type { ErrorShape, JsonReply } from './route.ts';

const RETRY_AFTER_SECONDS = 1;

/** Headers of a refusal: the challenge of a 401, the wait of a 429 or 503, and those of the error. */
export function headersOf(error: ServiceError): Record<string, string> {
  const needsRetryAfter = error.code === 'rate_limited' || error.code === 'unavailable';
  const retryAfter = error.retryAfterSeconds ?? (needsRetryAfter ? RETRY_AFTER_SECONDS : undefined);
  return {
    ...(error.code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
    ...(retryAfter !== undefined && { 'Retry-After': String(Math.ceil(retryAfter)) }),
    ...error.headers,
  };
}

interface ErrorForm {
  readonly shape: ErrorShape;
  readonly request: IncomingMessage;
}

/** Logs at the error's level and returns the reply for the client. */
export function errorReply(
  error: unknown,
  log: Logger,
  { form, ...where }: { readonly requestId: string; readonly method: string; readonly path: string; readonly form?: ErrorForm | undefined },
): JsonReply {
  const { shape, request } = form ?? {};
  const bodyOf = (known: ServiceError): unknown => (shape && request ? shape.body(known, request) : known.toBody());
  if (!(error instanceof ServiceError)) {
    log.error({ ...where, err: error }, 'request failed');
    const message = `The server failed on this request; see its log under request id ${where.requestId}`;
    return { type: 'json', status: 500, body: bodyOf(new ServiceError('internal', message)) };
  }
  if (error.httpStatus >= 500) log[error.logLevel]({ ...where, code: error.code, err: error }, 'request failed');
  else log[error.logLevel]({ ...where, code: error.code }, 'request refused');
  return { type: 'json', status: error.httpStatus, body: bodyOf(error), headers: { ...headersOf(error), ...shape?.headers?.(error) } };
}
