// Log lines of errors as libraries really throw them.
import { describe, expect, test } from 'vitest';
import pg from 'pg';
import { request } from 'undici';
import { ServiceError } from '@svc/shared/errors';
import { errorRecord, withoutCredentials } from './error-record.ts';
import { createLogger } from './log.ts';

const PASSWORD = 'hunter2-very-secret';

function logged(fields: object, format: 'json' | 'pretty' = 'json'): string {
  const lines: string[] = [];
  createLogger({ level: 'info', format, sink: { write: (line) => lines.push(line) } }).error(fields, 'it failed');
  return lines.join('');
}

async function thrownBy(action: () => unknown): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('an error in the log', () => {
  test('shows type, code, message, stack and cause', () => {
    const line = JSON.parse(logged({ err: new ServiceError('internal', 'a bug', { cause: new TypeError('x is undefined') }) })) as unknown;
    const stack = expect.stringContaining('log.test') as string;
    expect(line).toMatchObject({ err: { type: 'ServiceError', code: 'internal', stack, cause: { type: 'TypeError', stack } } });
  });

  test('shows message and cause of an outage, with a stack only when a bug is behind it', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED', syscall: 'connect', port: 5432 });
    const line = JSON.parse(logged({ err: new ServiceError('unavailable', 'the database does not answer', { cause }) })) as unknown;
    expect(line).toMatchObject({
      msg: 'it failed',
      err: {
        type: 'ServiceError',
        code: 'unavailable',
        message: 'the database does not answer',
        cause: { type: 'Error', code: 'ECONNREFUSED', syscall: 'connect', port: 5432 },
      },
    });
    expect(JSON.stringify(line)).not.toContain('stack');
    const bug = JSON.parse(logged({ err: new ServiceError('unavailable', 'no answer', { cause: new TypeError('a bug') }) })) as unknown;
    expect(bug).toHaveProperty('err.cause.stack');
  });

  test('shows nothing of a row or a query in an error of PostgreSQL', () => {
    const error = Object.assign(new pg.DatabaseError('duplicate key value violates unique constraint "objects_pkey"', 1, 'error'), {
      code: '23505',
      detail: `Key (value)=(${PASSWORD}) already exists.`,
      internalQuery: `select '${PASSWORD}'`,
      where: PASSWORD,
      constraint: 'objects_pkey',
    });
    expect(JSON.parse(logged({ err: error }))).toMatchObject({ err: { code: '23505', constraint: 'objects_pkey' } });
    expect(logged({ err: error })).not.toContain(PASSWORD);
  });

  test('shows no password of an address that cannot be read, connected to, or that is part of a message', async () => {
    const address = `postgres://svc:${PASSWORD}@127.0.0.1:1/svc`;
    const errors = [
      await thrownBy(() => new URL(`http://svc:${PASSWORD}@[`)),
      await thrownBy(() => new pg.Client({ connectionString: address }).connect()),
      await thrownBy(() => request(`http://svc:${PASSWORD}@127.0.0.1:1/`, { headers: { authorization: `Bearer ${PASSWORD}` } })),
      new Error(`cannot reach ${address}: refused`),
      Object.assign(new Error('refused'), { config: { password: PASSWORD }, request: { headers: { authorization: PASSWORD } } }),
      new AggregateError([new Error(`no answer from ${address}`)], `all of ${address} failed`),
    ];
    for (const err of errors) for (const format of ['json', 'pretty'] as const) expect(logged({ err }, format)).not.toContain(PASSWORD);
    expect(logged({ err: errors[3] })).toContain('postgres://***@127.0.0.1:1/svc');
  });

  test('has a record whatever was thrown', () => {
    const circular = new Error('round');
    circular.cause = circular;
    const many = new AggregateError([null, 'text']);
    many.errors.push(many);
    for (const thrown of [undefined, null, 'text', 7, {}, circular, many]) expect(JSON.stringify(errorRecord(thrown))).toContain('"type"');
  });
});

describe('credentials in a text', () => {
  test.each([
    ['authorization: Bearer abc.def-123', 'authorization: Bearer ***'],
    ['host=db password=abc dbname=x', 'host=db password=*** dbname=x'],
    ['{"api_key":"abc","n":1}', '{"api_key":"***","n":1}'],
    ['https://user:p%40ss@host/path?x=1', 'https://***@host/path?x=1'],
    ['see https://host/path and mail me@host', 'see https://host/path and mail me@host'],
    ['from http://a:1/x@y to pg://u:p/@h/a@b', 'from http://***@y to pg://***@h/a@b'],
    ['the token of the first admin', 'the token of the first admin'],
  ])('%s', (text, shown) => {
    expect(withoutCredentials(text)).toBe(shown);
  });

  test.each(['a', 'a://b:', 'a://', '@a://b:', 'password ', 'bearer'])('%s many times takes linear time', (piece) => {
    const began = process.cpuUsage();
    errorRecord(new Error(piece.repeat(200_000 / piece.length)));
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });
});
