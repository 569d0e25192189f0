import { describe, expect, test } from 'vitest';
import { errorReport, shownError } from './shown-error.ts';

describe('an error', () => {
  test('from the server shows its code, its message, its fields and the request', () => {
    const error = Object.assign(new Error('Agent "x" is invalid'), {
      data: {
        httpStatus: 400,
        requestId: 'r-1',
        error: { code: 'invalid', message: 'Agent "x" is invalid', details: [{ path: 'spec.model_ref', message: 'is required' }] },
      },
    });
    const shown = shownError(error);
    expect(shown).toEqual({
      code: 'invalid',
      message: 'Agent "x" is invalid',
      details: [{ path: 'spec.model_ref', message: 'is required' }],
      requestId: 'r-1',
    });
    expect(errorReport(shown)).toBe('invalid: Agent "x" is invalid\n  spec.model_ref: is required\nrequest id: r-1');
  });
  test('from the network reports that the server did not answer', () =>
    expect(shownError(new TypeError('Failed to fetch')).code).toBe('unreachable'));
  test('includes the HTTP status of a proxy', () => {
    const error = Object.assign(new Error('Unexpected token <'), { name: 'TRPCClientError', meta: { response: { status: 502 } } });
    expect(shownError(error)).toMatchObject({ code: 'unreachable', message: expect.stringMatching(/did not answer: HTTP 502/) as string });
  });
  test.each([[undefined], [null], [''], [{}], [{ data: null }], [{ data: { error: null } }]])(
    'of unknown shape (%j) still has a message',
    (error) => {
      expect(shownError(error)).toMatchObject({ code: 'unknown', message: 'Something went wrong.' });
    },
  );
  test('thrown as text shows that text', () => expect(shownError('No luck').message).toBe('No luck'));
});
