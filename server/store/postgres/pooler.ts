// Detects a connection pooler that gives each transaction another session. Settings, LISTEN and prepared statements need a session of their own.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { isAnswer } from './failure.ts';

/** The driver knows the server process of a connection but does not declare it. */
export function processIdOf(client: pg.Client): number | null | undefined {
  return (client as unknown as { readonly processID?: number | null }).processID;
}

/**
 * Whether a transaction of `other` takes the session of `client` away. A pooler may still have a spare session for it, so that false is no proof;
 * true is one. Both are connected and idle.
 */
export async function losesItsSession(client: pg.Client, other: pg.Client): Promise<boolean> {
  const mark = randomUUID();
  const markOf = async (of: pg.Client) =>
    (await of.query<{ mark: string | null }>(`SELECT current_setting('svc.session', true) AS mark`)).rows[0]?.mark;
  await client.query(`SET svc.session = '${mark}'`);
  try {
    await other.query('BEGIN');
  } catch (error) {
    // PgBouncer refuses transactions when it gives each statement another session.
    if (isAnswer(error)) return true;
    throw error;
  }
  const isLost = (await markOf(other)) === mark || (await markOf(client)) !== mark;
  await other.query('ROLLBACK');
  return isLost;
}
