// Call errors for failures of the PostgreSQL of a Memory. Decided by SQLSTATE and system codes, never by text. Source: PostgreSQL, appendix "Error Codes".
import pg from 'pg';
import { connectionError } from '../../egress/transport-errors.ts';
import { CallError, type CallErrorCode } from '../../engine/ports.ts';
import type { DatabaseEndpoint } from './endpoint.ts';

export interface ErrorContext {
  /** Names the Memory. */
  readonly title: string;
  readonly endpoint: DatabaseEndpoint;
  readonly permittedBy: string;
}

interface Verdict {
  readonly code: CallErrorCode;
  readonly problem: string;
  readonly reason?: string;
}

/** Connection exceptions, rolled back transactions, lack of resources, an operator's intervention. */
const PASSING = /^(08|40|53|55|57)/;

/** A table, a column or a function that is not there. */
export const isMissing = (error: unknown): boolean => error instanceof pg.DatabaseError && /^42(P01|703|704|883)$/.test(error.code ?? '');

export function databaseError(error: unknown, { title, endpoint, permittedBy }: ErrorContext): CallError {
  if (error instanceof CallError) return error;
  if (!(error instanceof pg.DatabaseError)) {
    const failure = connectionError(error, { target: `${endpoint.host}:${endpoint.port}`, permittedBy });
    // The driver reports its own timeouts and a closed connection without a code.
    if (failure.reason !== 'connection_failed') return failure;
    const message = `${title}: its database ${endpoint.host}:${endpoint.port} closed the connection or did not answer in time${endpoint.tls === true ? '; check that it offers TLS, or use sslmode=disable' : ''}`;
    return new CallError('execution_failed', message, { retryable: true, reason: 'memory_unavailable', cause: error });
  }
  const state = error.code ?? 'unknown';
  const known = verdictOf(state, endpoint);
  if (known) {
    const message = `${title}: ${known.problem} (SQLSTATE ${state})`;
    return new CallError(known.code, message, { retryable: false, reason: known.reason ?? `sqlstate_${state}`, cause: error });
  }
  const message = `${title}: its database failed (SQLSTATE ${state})`;
  return new CallError('execution_failed', message, { retryable: PASSING.test(state), reason: `sqlstate_${state}`, cause: error });
}

function verdictOf(state: string, { user, database }: DatabaseEndpoint): Verdict | undefined {
  if (/^28/.test(state))
    return { code: 'auth_invalid', problem: `its database refused the login of ${user}; check the user and the Secret of the password` };
  if (state === '42501')
    return {
      code: 'auth_forbidden',
      problem: `its database gives ${user} too few rights; grant CREATE on the schema, or create the extension`,
    };
  if (state === '3D000') return { code: 'runtime_policy_invalid', problem: `its database "${database}" does not exist; create it` };
  if (state === '53100') return { code: 'execution_failed', problem: 'the disk of its database is full' };
  if (/^22/.test(state)) return { code: 'invalid_input', problem: 'its database cannot store this text or vector' };
  return undefined;
}
