// Errors for the server's refusals: never one that could be taken for a broken run.
import { ServiceError } from '@svc/shared/errors';
import pg from 'pg';
import { expect, test } from 'vitest';
import { toServiceError } from './failure.ts';

function refusal(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity: 'ERROR' });
}

test.each([
  ['0A000', 'internal'], // a plan that no longer fits the tables, after an upgrade
  ['26000', 'internal'], // a prepared statement that a pooler has dropped
  ['57014', 'unavailable'],
  ['40P01', 'conflict'],
])('a refusal %s is the service’s error %s, with its cause', (sqlState, code) => {
  const cause = refusal(sqlState);
  const error = toServiceError(cause, 'the database x');
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ code, cause });
});
