// The bounded hasher with the real addon.
import { expect, test } from 'vitest';
import { createPasswordHasher } from './password-hasher.ts';

const PLACES = 2 + 64;

test('a password verifies against its own hash only, whatever the form of its letters', async () => {
  const hasher = createPasswordHasher();
  const hash = await hasher.hash('Gr\u00fc\u00dfe aus der K\u00fcche');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hasher.verify(hash, 'Gru\u0308\u00dfe aus der Ku\u0308che')).toBe(true);
  expect(await hasher.verify(hash, 'gr\u00fc\u00dfe aus der k\u00fcche')).toBe(false);
  expect(await hasher.verify(undefined, 'anything')).toBe(false);
  expect(await hasher.verify(hash, '\ud800')).toBe(false);
});

test('more passwords than the queue holds are refused, and timers run while the others are checked', { timeout: 60_000 }, async () => {
  const hasher = createPasswordHasher();
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const settled = await Promise.allSettled(Array.from({ length: PLACES + 10 }, () => hasher.verify(undefined, 'x')));
  clearInterval(timer);
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(PLACES);
  const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused).toHaveLength(10);
  expect(refused[0]).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  // Hashing on the main thread would leave no turn for timers.
  expect(ticks).toBeGreaterThan(PLACES / 4);
  expect(await hasher.verify(undefined, 'x')).toBe(false);
});
