// One connection for an operator's command on the shared store: no pool, no announcements, and a long timeout for large statements.
import { assertBindable } from '../bound-text.ts';
import { SCHEMA } from './client-config.ts';
import { toServiceError } from './failure.ts';
import { migrate, readSchemaVersion } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { connectChecked } from './open.ts';

const STATEMENT_TIME_MAX_MS = 10 * 60_000;

export interface OperatorSession {
  /** `PostgreSQL at host:port, database name`; never the password. */
  readonly place: string;
  /** 0 when there are no tables yet. Throws `unavailable` for a newer schema or foreign tables. */
  schemaVersion(): Promise<number>;
  /** Brings the database to the newest schema. */
  migrate(): Promise<void>;
  /** Rows are typed by the caller, who wrote the SQL. Rejects with the service's errors. */
  readonly query: <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;
  close(): Promise<void>;
}

/** Throws as openPostgresStore does; the schema is left as it is. */
export async function openOperatorSession(url: string, applicationName: string): Promise<OperatorSession> {
  const { client, target } = await connectChecked(url, applicationName, { query_timeout: STATEMENT_TIME_MAX_MS });
  const { place } = target;
  const translated = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw toServiceError(error, place);
    }
  };
  await translated(() => client.query(`SET search_path = ${SCHEMA}; SET statement_timeout = ${STATEMENT_TIME_MAX_MS}`));
  return {
    place,
    schemaVersion: () => translated(() => readSchemaVersion(client, migrations, place)),
    migrate: () => translated(() => migrate(client, migrations, place)),
    query: <Row>(sql: string, values: readonly unknown[] = []) =>
      translated(async () => {
        assertBindable(values);
        return (await client.query(sql, [...values])).rows as Row[];
      }),
    close: () => client.end().catch(() => undefined),
  };
}
