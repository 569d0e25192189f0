// A whole server on each database, for tests that must hold on both.
import { startPostgres, withoutPostgres } from './postgres-server.ts';
import { startTestServer, type TestServer } from './running-server.ts';

export interface DatabaseServer {
  readonly name: string;
  readonly start: () => Promise<TestServer>;
}

/** `subject` names the tests that are skipped where PostgreSQL is missing. */
export function databaseServers(
  subject: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): DatabaseServer[] {
  const onPostgres = async () => {
    const postgres = await startPostgres();
    const server = await startTestServer([...flags, '--embedded-worker=true', '--database-url', await postgres.createDatabase()], env);
    return { ...server, stop: () => server.stop().finally(() => postgres.remove()) };
  };
  const sqlite = { name: 'SQLite', start: () => startTestServer(flags, env) };
  return withoutPostgres(subject) ? [sqlite] : [sqlite, { name: 'PostgreSQL', start: onPostgres }];
}
