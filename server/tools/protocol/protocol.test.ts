import { describe, expect, test } from 'vitest';
import type { CallError } from '../../engine/ports.ts';
import { toolCall } from '../../testing/tool-deps.ts';
import { parseReply, readReply } from './reply.ts';
import { protocolHeaders, protocolRequest } from './request.ts';

const TITLE = 'Tool "team/search"';
const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

function failure(reply: unknown): Pick<CallError, 'code' | 'reason' | 'retryable' | 'message'> {
  try {
    readReply(reply, TITLE);
  } catch (error) {
    const { code, reason, retryable, message } = error as CallError;
    return { code, reason, retryable, message };
  }
  throw new Error('it did not fail');
}

describe('the request', () => {
  test('is the call, in the words of the protocol', () => {
    const spec = { type: 'external', operation_classes: ['read', 'delete'], capabilities: ['find'], risk_level: 'high', endpoint: 'x' };
    expect(protocolRequest(toolCall(spec), 2)).toEqual({
      tool_contract_version: 'v1',
      request_id: 'req-1',
      task_id: 'team/t',
      namespace: 'team',
      agent: 'a',
      tool: { name: 'search', operation: 'delete', capabilities: ['find'], risk_level: 'high' },
      input: { q: 'tides' },
      attempt: 2,
    });
    expect(protocolHeaders(toolCall(spec))).toEqual({ 'x-tool-contract-version': 'v1', 'idempotency-key': 'req-1' });
  });

  test('for a Tool without options has operation read and risk low', () => {
    expect(protocolRequest(toolCall({}), 1).tool).toEqual({ name: 'search', operation: 'read', capabilities: [], risk_level: 'low' });
  });
});

describe('a reply', () => {
  test.each<[unknown, string]>([
    [{ status: 'ok', output: { result: 'text as it is' } }, 'text as it is'],
    [{ status: 'ok', output: { result: { a: [1, null] } } }, '{"a":[1,null]}'],
    [{ status: 'ok', output: { result: null } }, 'null'],
    [{ status: 'ok', output: { result: '', extra: 1 }, took_ms: 3, error: 'ignored' }, ''],
    [{ status: 'ok', output: {} }, ''],
    [{ status: 'ok' }, ''],
    ['{"status":"ok","output":{"result":5}}', '5'],
  ])('%j is ok', (reply, output) => expect(readReply(reply, TITLE)).toBe(output));

  test.each<[unknown, Partial<CallError>]>([
    [
      { code: 'timeout', retryable: true, message: 'slow' },
      { code: 'timeout', reason: undefined, retryable: true },
    ],
    [
      { code: 'execution_failed', reason: 'disk.full' },
      { code: 'execution_failed', reason: 'disk.full', retryable: false },
    ],
    [
      { code: 'out_of_stock', retryable: true },
      { code: 'execution_failed', reason: 'out_of_stock', retryable: true },
    ],
    [
      { code: 'out_of_stock', reason: 'shelf-7' },
      { code: 'execution_failed', reason: 'shelf-7', retryable: false },
    ],
    [{ code: 'approval_pending' }, { code: 'execution_failed', reason: 'approval_pending' }],
    [{ code: 'malformed_response' }, { code: 'execution_failed', reason: 'malformed_response' }],
    [
      { code: 'auth_invalid', retryable: true },
      { code: 'auth_invalid', retryable: false },
    ],
    [
      { code: 'auth_forbidden', retryable: true },
      { code: 'auth_forbidden', retryable: false },
    ],
    [
      { code: 'invalid_input', retryable: true },
      { code: 'invalid_input', retryable: false },
    ],
    [
      { code: '<script>', reason: 'two words' },
      { code: 'execution_failed', reason: undefined },
    ],
    [
      { code: 'x', retryable: null, message: null },
      { code: 'execution_failed', reason: 'x', retryable: false },
    ],
  ])('with the error %j means it', (error, expected) => expect(failure({ status: 'error', error })).toMatchObject(expected));

  test('describes the failure with the message whole', () => {
    const { message } = failure({ status: 'error', error: { code: 'invalid_input', message: ` no such city ${'x'.repeat(9999)} ` } });
    expect(message).toBe(`Tool "team/search" answered with the error invalid_input: no such city ${'x'.repeat(9999)}`);
    expect(failure({ status: 'error', error: { code: 'timeout' } }).message).toBe('Tool "team/search" answered with the error timeout');
  });

  test.each<[unknown, string]>([
    [{ status: 'denied' }, 'denied_by_tool'],
    [{ status: 'denied', error: { code: 'quota', message: 'not today', retryable: true } }, 'quota'],
    [{ status: 'denied', error: { code: 'quota', reason: 'daily' } }, 'daily'],
  ])('%j is a permanent denial', (reply, reason) =>
    expect(failure(reply)).toMatchObject({ code: 'permission_denied', reason, retryable: false }),
  );

  test.each<[string, unknown, string]>([
    ['no JSON', '<html>', 'is not JSON'],
    ['an empty body', '', 'is not JSON'],
    ['a list', [], 'is not a JSON object'],
    ['null', null, 'is not a JSON object'],
    ['no status', {}, 'has a status other than ok, error or denied'],
    ['another status', { status: 'OK' }, 'has a status other than ok, error or denied'],
    ['an output that is a text', { status: 'ok', output: 'x' }, 'has an output that is not an object'],
    ['an output that is a list', { status: 'ok', output: [] }, 'has an output that is not an object'],
    ['a bottomless result', `{"status":"ok","output":{"result":${deep}}}`, 'has a result that is nested too deeply'],
    [
      '300,000 objects',
      `{"status":"ok","output":{"result":[${'{},'.repeat(300_000)}0]}}`,
      'holds more than 100000 values; return large results as text',
    ],
    ['an error without an error', { status: 'error' }, 'has status error and no error object'],
    ['an error without a code', { status: 'error', error: { message: 'x' } }, 'has an error without a code'],
    ['a code that is a number', { status: 'error', error: { code: 5 } }, 'has an error without a code'],
    ['an invalid message', { status: 'error', error: { code: 'x', message: {} } }, 'has an error.message that is not a string'],
    [
      'a retryable that is a text',
      { status: 'error', error: { code: 'x', retryable: 'yes' } },
      'has an error.retryable that is not a boolean',
    ],
    ['a denial with a text', { status: 'denied', error: 'no' }, 'has an error that is not an object'],
  ])('with %s is malformed, and the error says why', (_, reply, problem) =>
    expect(failure(reply)).toEqual({
      code: 'malformed_response',
      reason: 'tool_protocol',
      retryable: false,
      message: `the reply of ${TITLE} ${problem}`,
    }),
  );

  test('is reduced to what is recorded', () => {
    expect(parseReply({ status: 'ok', output: { result: [1] }, more: 1 }, TITLE)).toEqual({ status: 'ok', output: '[1]' });
    expect(parseReply({ status: 'error', error: { code: 'timeout', message: 'slow', stack: 'x' } }, TITLE)).toEqual({
      status: 'error',
      error: { code: 'timeout', retryable: false, message: `${TITLE} answered with the error timeout: slow` },
    });
  });
});
