// A whole server on each database, for tests that must hold on both.
import { startPostgres, withoutPostgres } from './postgres-server.ts';
import type { Overrides } from '../app.ts';
import { startTestServer, type TestServer } from './running-server.ts';

export interface DatabaseServer {
  readonly name: string;
  readonly start: (overrides?: Overrides) => Promise<TestServer>;
}

/** `subject` names the tests that are skipped where PostgreSQL is missing. */
export function databaseServers(
  subject: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): DatabaseServer[] {
  const onPostgres: DatabaseServer['start'] = async (overrides) => {
    const postgres = await startPostgres();
    const onDatabase = ['--embedded-worker=true', '--database-url', await postgres.createDatabase()];
    const server = await startTestServer([...flags, ...onDatabase], env, overrides);
    return { ...server, stop: () => server.stop().finally(() => postgres.remove()) };
  };
  const sqlite: DatabaseServer = { name: 'SQLite', start: (overrides) => startTestServer(flags, env, overrides) };
  return withoutPostgres(subject) ? [sqlite] : [sqlite, { name: 'PostgreSQL', start: onPostgres }];
}
