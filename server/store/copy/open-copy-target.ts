// Opens a PostgreSQL database as the target of a copy.
import { ServiceError } from '@svc/shared/errors';
import { openOperatorSession } from '../postgres/operator-session.ts';
import type { OperatorSession } from '../postgres/operator-session.ts';
import { parseTarget } from '../postgres/target.ts';
import { WriteRace } from '../write-race.ts';
import { assertEmptyTables, lockTables, targetTables } from './copy-target.ts';
import type { CopyTarget, TargetTables } from './copy-target.ts';

const APPLICATION_NAME = 'svcctl migrate-store';

async function begin(session: OperatorSession): Promise<TargetTables> {
  await session.migrate();
  await session.query('BEGIN');
  try {
    await lockTables(session.query);
  } catch (cause) {
    if (!(cause instanceof WriteRace)) throw cause;
    throw new ServiceError('conflict', `a server is using ${session.place}; stop it, and copy into a database that no server has used`, {
      cause,
    });
  }
  return targetTables(session.query);
}

async function commit({ query, place }: OperatorSession): Promise<void> {
  try {
    await query('COMMIT');
  } catch (cause) {
    const sentence = `the connection to ${place} was lost during the commit; run the copy again: it refuses if this one was written`;
    throw new ServiceError('unavailable', sentence, { cause });
  }
}

/** Throws `invalid`, without repeating the URL, unless it can be a target's. Nothing is opened. */
export function assertTargetUrl(url: string): void {
  parseTarget(url);
}

/** Throws `invalid` for a malformed URL and `unavailable`, with one sentence that never holds the password, for a database that cannot be used. */
export async function openCopyTarget(url: string): Promise<CopyTarget> {
  const session = await openOperatorSession(url, APPLICATION_NAME);
  return {
    place: session.place,
    async assertEmpty() {
      if ((await session.schemaVersion()) > 0) await assertEmptyTables(targetTables(session.query));
    },
    async transaction(work) {
      try {
        const result = await work(await begin(session));
        await commit(session);
        return result;
      } catch (error) {
        // Fails only on a connection that is gone, and then the server undoes it.
        await session.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    },
    close: () => session.close(),
  };
}
