import { expect, test } from 'vitest';
import { createManualClock } from '../../testing/manual-clock.ts';
import { createTokenBuckets } from './token-bucket.ts';

const RATES = { burst: 3, perMinute: 6, addressesMax: 2, refusal: 'Too many attempts' };
const outcome = (take: () => void): number | string => {
  try {
    take();
    return 'taken';
  } catch (error) {
    return (error as { retryAfterSeconds: number }).retryAfterSeconds;
  }
};

test('a full bucket gives its burst, then its refill', () => {
  const clock = createManualClock();
  const buckets = createTokenBuckets(RATES, clock);
  const take = () => outcome(() => buckets.take('10.0.0.1'));
  expect([take(), take(), take(), take()]).toEqual(['taken', 'taken', 'taken', 10]);
  clock.advance(4_000);
  expect(take()).toBe(6);
  clock.advance(6_000);
  expect([take(), take()]).toEqual(['taken', 10]);
  clock.advance(3_600_000);
  expect([take(), take(), take(), take()]).toEqual(['taken', 'taken', 'taken', 10]);
});

test('a clock that was set back neither adds nor removes tokens', () => {
  const clock = createManualClock();
  const buckets = createTokenBuckets(RATES, clock);
  buckets.take('10.0.0.1');
  clock.advance(-3_600_000);
  expect([1, 2, 3].map(() => outcome(() => buckets.take('10.0.0.1')))).toEqual(['taken', 'taken', 10]);
});

test('the addresses of one IPv6 network are one client; another form of an address is the same', () => {
  const buckets = createTokenBuckets(RATES, createManualClock());
  const all = (...addresses: string[]) => addresses.map((address) => outcome(() => buckets.take(address)));
  expect(all('2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::', '2001:db8::3', '2001:db8:0:1::1')).toEqual([
    'taken',
    'taken',
    'taken',
    10,
    'taken',
  ]);
  expect(all('10.0.0.1', '::ffff:10.0.0.1', '10.0.0.1', '10.0.0.1')).toEqual(['taken', 'taken', 'taken', 10]);
});

test('forgets the least recently used address above the limit of addresses', () => {
  const buckets = createTokenBuckets(RATES, createManualClock());
  const take = (address: string) => outcome(() => buckets.take(address));
  for (const address of ['a', 'a', 'a', 'b', 'c']) take(address);
  expect(take('a')).toBe('taken');
  expect(take('c')).toBe('taken');
});
