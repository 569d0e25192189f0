// Call errors for failures of PostgreSQL. Decided by SQLSTATE and system codes, never by text. Source: PostgreSQL, appendix "Error Codes".
import pg from 'pg';
import { connectionError } from '../../egress/transport-errors.ts';
import { CallError } from '../../engine/ports.ts';
import type { PostgresEndpoint } from './endpoint.ts';

interface Context {
  readonly endpoint: PostgresEndpoint;
  readonly title: string;
  readonly permittedBy: string;
}

/** Connection exceptions, rolled back transactions, lack of resources, an operator's intervention. */
const PASSING = /^(08|40|53|57)/;

export function databaseError(error: unknown, { endpoint, title, permittedBy }: Context): CallError {
  if (error instanceof CallError) return error;
  const target = `${endpoint.host}:${endpoint.port}`;
  if (!(error instanceof pg.DatabaseError)) return connectionError(error, { target, permittedBy });
  const state = error.code ?? 'unknown';
  const final = (...[code, problem]: [CallError['code'], string]) =>
    new CallError(code, `${title}: ${problem} (SQLSTATE ${state})`, { retryable: false, reason: `sqlstate_${state}` });
  if (/^28/.test(state)) return final('auth_invalid', 'its database refused the login');
  if (state === '42501')
    return final('auth_forbidden', 'its database gives this login too few rights; it needs SELECT, INSERT, UPDATE and DELETE');
  if (state === '3D000') return final('runtime_policy_invalid', `its database "${endpoint.database}" does not exist`);
  // Class 22, data exception: `jsonb` takes neither U+0000 nor an unpaired surrogate, which JSON itself permits.
  if (/^22/.test(state))
    return final('invalid_input', 'its database cannot store the input; remove U+0000 and unpaired surrogates from its text');
  if (/^42/.test(state))
    return final('runtime_policy_invalid', 'its database lacks the queue’s tables; run resources/sql/tool-queue.sql there');
  return new CallError('execution_failed', `${title}: its database failed (SQLSTATE ${state})`, {
    retryable: PASSING.test(state),
    reason: `sqlstate_${state}`,
  });
}
