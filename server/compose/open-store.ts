// Opens the store that the flags name. Each engine is loaded only where it is used: a worker needs no SQLite, an embedded server no PostgreSQL client.
import { join } from 'node:path';
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';
import type { DatabaseConfig } from '../config.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/log.ts';

const DATABASE_FILE = 'svc.db';

export interface StoreContext {
  readonly clock: Clock;
  readonly log: Logger;
  /** What the database's administrator sees beside each connection. */
  readonly applicationName: string;
}

/** Rejects with a ServiceError, in one sentence, when the database cannot be reached or used. */
export async function openStore(database: DatabaseConfig, { clock }: StoreContext): Promise<Store> {
  if (database.kind === 'postgres') throw new ServiceError('unavailable', 'PostgreSQL is not in this build yet');
  const { openSqliteStore } = await import('../store/sqlite/open.ts');
  return openSqliteStore({ path: join(database.dataDir, DATABASE_FILE), clock });
}

/** Where the state lives, for logs: a directory, or a host and database without user and password. */
export function describeDatabase(database: DatabaseConfig): { readonly dataDir: string } | { readonly database: string } {
  if (database.kind === 'embedded') return { dataDir: database.dataDir };
  const { host, pathname } = new URL(database.url);
  return { database: `postgres://${host}${pathname}` };
}
