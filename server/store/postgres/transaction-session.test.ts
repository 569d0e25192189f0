// A transaction whose BEGIN fails: over a stand-in connection, as no real server fails there on demand.
import { ServiceError } from '@svc/shared/errors';
import { expect, it } from 'vitest';
import { WriteRace } from '../write-race.ts';
import type { Connection } from './connections.ts';
import { statement } from './session.ts';
import { TransactionSession } from './transaction-session.ts';

it('sends nothing more and does not commit when BEGIN was refused: each statement would commit on its own', async () => {
  const sent: string[] = [];
  const connection: Connection = {
    run(sql) {
      sent.push(sql.text);
      const refused = new ServiceError('unavailable', 'did not answer in time');
      return sql.text === 'BEGIN' ? Promise.reject(refused) : Promise.resolve({ rows: [], count: 1, command: sql.text });
    },
    release: () => undefined,
  };
  const session = new TransactionSession(connection, 'the database');
  await expect(session.run(statement('first'))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(session.run(statement('second'))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(session.commit()).rejects.toMatchObject({ code: 'unavailable' });
  expect(sent).toEqual(['BEGIN', 'first']);
});

it('fails every statement sent behind a failed one with the reason of that one', async () => {
  const race = new WriteRace(undefined);
  const reasons = [race, new ServiceError('internal', 'current transaction is aborted')];
  const run: Connection['run'] = (sql) =>
    sql.text === 'BEGIN'
      ? Promise.resolve({ rows: [], count: 0, command: 'BEGIN' })
      : Promise.reject(reasons.shift() ?? new Error('no more'));
  const session = new TransactionSession({ run, release: () => undefined }, 'the database');
  const both = await Promise.allSettled([session.run(statement('third')), session.run(statement('fourth'))]);
  expect(both).toEqual([
    { status: 'rejected', reason: race },
    { status: 'rejected', reason: race },
  ]);
});

it('waits for a left statement at the end, and fails with its reason when it was refused', async () => {
  const sent: string[] = [];
  const race = new WriteRace(undefined);
  let isRefused = false;
  const run: Connection['run'] = async (sql) => {
    sent.push(sql.text);
    if (sql.text === 'race') {
      isRefused = true;
      throw race;
    }
    // As a server that has refused a statement of the transaction answers its commit.
    return { rows: [], count: 0, command: sql.text === 'COMMIT' && isRefused ? 'ROLLBACK' : sql.text };
  };
  const session = new TransactionSession({ run, release: () => undefined }, 'the database');
  session.leave(session.run(statement('race')));
  expect(session.waiting).toBe(false);
  await expect(session.commit(() => session.run(statement('last')))).rejects.toBe(race);
  expect(sent).toEqual(['BEGIN', 'race', 'last', 'COMMIT']);
});
