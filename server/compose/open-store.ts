// Opens the store that the flags name. Each engine is loaded only where it is used: a worker needs no SQLite, an embedded server no PostgreSQL client.
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { DatabaseConfig } from '../config.ts';
import { objectIndex } from '../registry/reference-index.ts';
import type { OnMigrating } from '../store/sqlite/migrate.ts';
import type { BeforeUpgrade, Store } from '../store/store.ts';
import type { Logger } from '../log/log.ts';

export interface StoreContext {
  readonly clock: Clock;
  readonly log: Logger;
  /** Name beside each connection in the database's list of sessions. */
  readonly applicationName: string;
  /** Whether this process shows changes of other processes at once, as a server does. */
  readonly listensToChanges: boolean;
  /** Reports an upgrade of an embedded database, step by step. */
  readonly onMigrating?: OnMigrating | undefined;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}

/** Rejects with a ServiceError, in one sentence, when the database cannot be reached or used. */
export async function openStore(database: DatabaseConfig, context: StoreContext): Promise<Store> {
  const { clock, log, applicationName, listensToChanges, onMigrating, beforeUpgrade } = context;
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('../store/postgres/open.ts');
    const { url, maxConnections } = database;
    return openPostgresStore({ url, maxConnections, clock, log, applicationName, listensToChanges, beforeUpgrade, ...objectIndex });
  }
  const { DATABASE_FILE, openSqliteStore } = await import('../store/sqlite/open.ts');
  return openSqliteStore({ path: join(database.dataDir, DATABASE_FILE), clock, ...objectIndex, onMigrating, beforeUpgrade });
}

/** Where the state lives, for logs: a directory, or a host and database without user and password. */
export function describeDatabase(database: DatabaseConfig): { readonly dataDir: string } | { readonly database: string } {
  if (database.kind === 'embedded') return { dataDir: database.dataDir };
  // As in `postgres:///name?host=/run/postgresql`, where the host may also be left out behind a user.
  const { host, pathname, searchParams } = new URL(database.url.replace(/@\//, '@localhost/'));
  return { database: `postgres://${searchParams.get('host') ?? host}${pathname}` };
}
