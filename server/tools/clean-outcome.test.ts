import { expect, test } from 'vitest';
import { CallError } from '../engine/ports.ts';
import { cleanError, cleanOutcome } from './clean-outcome.ts';
import { OUTPUT_MAX_BYTES } from './runtime.ts';

const secrets = new Set(['s3cret-value']);
const clean = (output: string) => cleanOutcome({ answer: { output }, attempts: 2 }, { secrets, title: 'Tool "a/b"' });

test('an output keeps all but secrets', () => {
  const answer = { output: 'x s3cret-value y', contractVersion: 'v1', isolation: { mode: 'none' } };
  expect(cleanOutcome({ answer, attempts: 2 }, { secrets, title: 'it' })).toEqual({
    output: 'x *** y',
    attempts: 2,
    contractVersion: 'v1',
    isolation: { mode: 'none' },
  });
});

test('an output at the cap passes, one past it is refused with the limit', () => {
  expect(clean('a'.repeat(OUTPUT_MAX_BYTES)).output).toHaveLength(OUTPUT_MAX_BYTES);
  expect(() => clean('é'.repeat(OUTPUT_MAX_BYTES / 2 + 1))).toThrow('Tool "a/b" sent more than 1048576 bytes');
});

test('an error keeps its meaning without its secrets', () => {
  const error = new CallError('execution_failed', 'quoted s3cret-value', {
    retryable: true,
    attempts: 3,
    reason: 'said_s3cret-value',
    retryAfterMs: 5,
    isolation: { mode: 'container' },
    cause: new Error('s3cret-value'),
  });
  const { code, message, reason, retryable, attempts, retryAfterMs, isolation, cause } = cleanError(error, secrets) as CallError;
  expect([message, reason, cause]).toEqual(['quoted ***', 'said_***', undefined]);
  expect({ code, retryable, attempts, retryAfterMs, isolation }).toEqual({
    code: 'execution_failed',
    retryable: true,
    attempts: 3,
    retryAfterMs: 5,
    isolation: { mode: 'container' },
  });
});

test.each([
  ['rate_limited', 'http_429', 'http_429'],
  ['malformed_response', undefined, 'malformed_response'],
] as const)('an error %s with reason %s has a code of the tool contract', (code, reason, kept) => {
  const error = new CallError(code, 'no', { retryable: true, retryAfterMs: 5, ...(reason && { reason }) });
  expect(cleanError(error, secrets)).toMatchObject({ code: 'execution_failed', reason: kept, retryable: true, retryAfterMs: 5 });
});

test('a very long error is cut', () => {
  const endless = new CallError('timeout', 'x'.repeat(100_000), { retryable: true });
  expect((cleanError(endless, new Set()) as CallError).message).toHaveLength(4096);
});

test('errors without secrets, and defects, pass as they are', () => {
  const fine = new CallError('timeout', 'slow', { retryable: true });
  const defect = new TypeError('x');
  expect([cleanError(fine, secrets), cleanError(defect, secrets)]).toEqual([fine, defect]);
  expect(cleanError(defect, secrets)).toBe(defect);
});
