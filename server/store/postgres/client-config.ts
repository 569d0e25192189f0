// The settings of every connection to the shared store: the schema, bounds in time, and plans that never change with statistics.
import pg from 'pg';
import type { Target } from './target.ts';

export const SCHEMA = 'svc';
const INT8_OID = 20;
const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 8_000;
/** Past the server's own bound, so that it fires only when the server does not answer at all. */
const QUERY_TIMEOUT_MS = 9_000;
/** A race past this is run again rather than waited for. */
const LOCK_TIMEOUT_MS = 3_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const KEEPALIVE_DELAY_MS = 10_000;

/** Eight-byte integers as numbers: ids, versions and sequences stay far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? Number : (pg.types.getTypeParser(oid, format) as unknown)) as pg.CustomTypesConfig['getTypeParser'],
};

export function clientConfig(target: Target, applicationName: string): pg.ClientConfig {
  return {
    connectionString: target.connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
    pipeline: true,
    types,
  };
}

/**
 * Run once on each new connection. Each statement is written for one index, so other plans are disabled. The planner would choose them while
 * tables are small or statistics are old, and would keep them in prepared statements after the tables have grown.
 */
export const SESSION_SETTINGS = [
  `search_path = ${SCHEMA}`,
  `statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  `lock_timeout = ${LOCK_TIMEOUT_MS}`,
  `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  `default_transaction_isolation = 'read committed'`,
  `plan_cache_mode = force_generic_plan`,
  `enable_seqscan = off`,
  `enable_bitmapscan = off`,
  `enable_hashjoin = off`,
  `enable_mergejoin = off`,
  `enable_sort = off`,
  `jit = off`,
]
  .map((setting) => `SET ${setting}`)
  .concat(`SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`)
  .join('; ');
