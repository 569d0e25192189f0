// Error codes by HTTP status of a model provider or tool, with whether a retry may help.
import type { CallErrorCode } from '../engine/ports.ts';

export interface StatusVerdict {
  readonly code: CallErrorCode;
  readonly retryable: boolean;
}

const VERDICTS: Readonly<Record<number, StatusVerdict>> = {
  401: { code: 'auth_invalid', retryable: false },
  403: { code: 'auth_forbidden', retryable: false },
  408: { code: 'timeout', retryable: true },
  429: { code: 'rate_limited', retryable: true },
};

/** Error code and retryability of a status outside 2xx. Unlisted 5xx are retryable, unlisted 4xx are not. */
export function statusVerdict(status: number): StatusVerdict {
  return VERDICTS[status] ?? { code: 'execution_failed', retryable: status >= 500 };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
