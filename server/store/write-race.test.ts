// Retries of a write after lost races.
import { ServiceError } from '@svc/shared/errors';
import { expect, test } from 'vitest';
import type { Store } from './store.ts';
import { transactAgain, WriteRace } from './write-race.ts';

function losing(rounds: number, error: Error) {
  let tries = 0;
  const transaction = (() => ((tries += 1) <= rounds ? Promise.reject(error) : Promise.resolve('written'))) as Store['transaction'];
  return { store: { transaction }, tries: () => tries };
}
const write = () => Promise.resolve('unused');

test('a write that loses race after race to a busy run gets through', async () => {
  const { store } = losing(20, new WriteRace(undefined));
  expect(await transactAgain(store, write)).toBe('written');
});

test('reports the cause when a write never succeeds', async () => {
  const cause = new ServiceError('conflict', 'the stored version differs');
  await expect(transactAgain(losing(Infinity, new WriteRace(cause)).store, write)).rejects.toBe(cause);
});

test('reports a lock that is never released as unavailable, not as a conflict', async () => {
  const race = new WriteRace(new Error('canceling statement due to lock timeout'));
  await expect(transactAgain(losing(Infinity, race).store, write)).rejects.toMatchObject({ code: 'unavailable', cause: race });
});

test('does not repeat a failure other than a race', async () => {
  const { store, tries } = losing(1, new ServiceError('unavailable', 'away'));
  await expect(transactAgain(store, write)).rejects.toMatchObject({ code: 'unavailable' });
  expect(tries()).toBe(1);
});
