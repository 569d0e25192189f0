// Shared PostgreSQL server of the scenarios: one real server with fsync for the whole suite, a database for each scenario.
import { systemClock } from '../../../server/clock.ts';
import { postgresBinaries, startPostgres, type PostgresServer } from '../../../server/testing/postgres-server.ts';
import type { Missing } from '../scenario.ts';
import { sharedMembers, type Timing } from './fleet.ts';
import { TIMING, type Ground } from './world.ts';

let server: Promise<PostgresServer> | undefined;

/** The suite's PostgreSQL server, started on first use. */
export function sharedPostgres(): Promise<PostgresServer> {
  return (server ??= startPostgres({ fsync: true }));
}

/** Ends and removes the PostgreSQL server, if one was started. */
export async function removeSharedPostgres(): Promise<void> {
  const started = server;
  server = undefined;
  await (await started)?.remove();
}

export async function postgresMissing(): Promise<Missing | undefined> {
  if (postgresBinaries() !== undefined) return undefined;
  return { reason: 'no PostgreSQL server programs on this machine (apt-get install postgresql)', excused: false };
}

export interface SharedCounts {
  readonly servers: number;
  readonly workers: number;
}

/** Servers and workers on a new database. */
export async function sharedFleet(counts: SharedCounts, timing: Timing = TIMING): Promise<Ground> {
  const url = await (await sharedPostgres()).createDatabase();
  return {
    members: sharedMembers(url, timing, counts),
    openStore: async () => (await import('../../../server/store/postgres/open.ts')).openPostgresStore({ url, clock: systemClock }),
    // The server goes with the suite, and the database with it.
    remove: async () => undefined,
  };
}
