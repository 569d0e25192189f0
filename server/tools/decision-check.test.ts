import { expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import type { ToolInvocation } from '../engine/ports.ts';
import { callFailure, toolCall } from '../testing/tool-deps.ts';
import { callHashOf, checkDecision } from './decision-check.ts';

const call = toolCall({}, { input: { b: 1, a: { d: [2], c: 'x' } } });
const hash = callHashOf(call);
const records = (recorded: string | undefined) => ({ callHashOf: () => Promise.resolve(recorded) });
const approved = (callHash: string, more: Partial<ToolInvocation> = {}) => ({ ...call, ...more, approved: { decision: 7, callHash } });

test('a call without a required approval passes without a check', async () => {
  await expect(checkDecision(call, { callHashOf: () => Promise.reject(new Error('asked')) })).resolves.toBeUndefined();
});

test('the call that was approved passes, however its keys are ordered', async () => {
  const again = { ...approved(hash), input: { a: { c: 'x', d: [2] }, b: 1 } };
  await expect(checkDecision(again, records(hash))).resolves.toBeUndefined();
});

test.each<[string, ToolInvocation, string | undefined, string]>([
  ['another input', { ...approved(hash), input: { b: 2 } }, hash, 'approved another call'],
  ['another tool', approved(hash, { tool: { ...call.tool, name: 'other' } }), hash, 'approved another call'],
  ['another task', approved(hash, { taskId: 'team/other' }), hash, 'approved another call'],
  ['another request', approved(hash, { requestId: 'req-2' }), hash, 'approved another call'],
  ['a hash that the journal was given, but no record', approved(hash), undefined, 'holds no approval'],
  ['a record of another call', approved(hash), `sha256:${'0'.repeat(64)}`, 'approved another call'],
  ['a journal that says another hash than the record', approved(`sha256:${'0'.repeat(64)}`), hash, 'approved another call'],
])('%s is refused permanently', async (...[, invocation, recorded, problem]) => {
  const error = await callFailure(checkDecision(invocation, records(recorded)));
  expect(error).toMatchObject({ code: 'permission_denied', reason: 'decision_mismatch', retryable: false });
  expect(error.message).toContain(`decision record 7 ${problem}`);
});

test('records that cannot be read stop the call, and it may be retried', async () => {
  const down = { callHashOf: () => Promise.reject(new ServiceError('unavailable', 'the store is away')) };
  const error = await callFailure(checkDecision(approved(hash), down));
  expect(error).toMatchObject({ code: 'execution_failed', reason: 'decision_unreadable', retryable: true });
});
