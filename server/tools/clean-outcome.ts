// Stage "redact and cap" of a call: the result holds no secret of the call and stays within the size that a model may receive.
import { redact } from '../egress/redact.ts';
import { CallError, type CallProgress, type ToolOutcome } from '../engine/ports.ts';
import { changedCallError } from './call-error.ts';
import type { AttemptedCall } from './attempts.ts';
import { TOOL_ERROR_CODES } from './protocol/reply.ts';
import { OUTPUT_MAX_BYTES } from './runtime.ts';

/** Characters of a text of the other side in an error or in progress. The text is cut here only, behind its redaction: no part of a secret is left. */
export const ERROR_MAX_CHARS = 4 * 1024;

/** Throws CallError `malformed_response` for an output past the cap: cut JSON would tell the model something else. */
export function cleanOutcome(
  { answer, attempts }: AttemptedCall,
  { secrets, title }: { secrets: ReadonlySet<string>; title: string },
): ToolOutcome {
  const { output, contractVersion, isolation, spent } = answer;
  if (Buffer.byteLength(output) > OUTPUT_MAX_BYTES) {
    throw new CallError('malformed_response', `${title} sent more than ${OUTPUT_MAX_BYTES} bytes`, {
      retryable: false,
      reason: 'response_too_large',
      attempts,
      ...(isolation && { isolation }),
    });
  }
  return {
    output: redact(output, [...secrets]),
    attempts,
    ...(contractVersion !== undefined && { contractVersion }),
    ...(isolation && { isolation }),
    ...(spent && { spent }),
  };
}

/** Progress that quotes the other side. */
export function cleanProgress(progress: CallProgress, secrets: ReadonlySet<string>): CallProgress {
  return { ...progress, message: cleanMessage(progress.message, secrets) };
}

const cleanMessage = (message: string, secrets: ReadonlySet<string>): string => redact(message, [...secrets]).slice(0, ERROR_MAX_CHARS);

/**
 * The error without the call's secrets, with a code of the tool contract, and no longer than a journal should keep.
 * Others than CallError are defects and pass as they are: they are recorded without their text.
 */
export function cleanError(error: unknown, secrets: ReadonlySet<string>): unknown {
  if (!(error instanceof CallError)) return error;
  const code = TOOL_ERROR_CODES.has(error.code) ? error.code : 'execution_failed';
  const message = cleanMessage(error.message, secrets);
  const given = error.reason ?? (code === error.code ? undefined : error.code);
  const reason = given === undefined ? undefined : redact(given, [...secrets]);
  if (code === error.code && message === error.message && reason === error.reason) return error;
  return changedCallError(error, { code, message, ...(reason !== undefined && { reason }), cause: undefined });
}
