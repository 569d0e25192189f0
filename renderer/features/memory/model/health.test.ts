import { expect, test } from 'vitest';
import { healthOf, searchLabel } from './health.ts';

test('a backend that works is named by its place', () => {
  expect(healthOf({ provider: 'embedded' }, { phase: 'Ready' })).toEqual({
    tone: 'ok',
    title: 'Entries are in the data directory of the server.',
  });
  expect(healthOf({ provider: 'redis' }, { phase: 'Ready' }).title).toContain('provider redis');
});

test('an unchecked backend is neither good nor bad', () => {
  expect(healthOf({ provider: 'http' }, { phase: 'Pending' }).tone).toBe('neutral');
});

test.each([
  [
    { provider: 'pgvector', auth: { secretRef: 'pw' }, embedding_model: 'embed' },
    ['Secret pw', 'extension vector', 'ModelEndpoint embed', 'automatically'],
  ],
  [{ provider: 'http', auth: { secretRef: 'token' } }, ['adapter of spec.endpoint', 'Secret token']],
  [{ provider: 'redis' }, ['Choose a provider', 'register redis']],
])('a failure of %o shows its reason and advice on what to check', (spec, words) => {
  const health = healthOf(spec, { phase: 'Error', lastError: 'connection refused' });
  expect(health).toMatchObject({ tone: 'danger', reason: 'connection refused' });
  for (const word of words) expect(health.advice).toContain(word);
});

test('each kind of search has its words', () => {
  expect([searchLabel('keyword'), searchLabel('vector'), searchLabel(undefined)]).toEqual([
    'keyword search',
    'vector search',
    'search of the adapter',
  ]);
});
