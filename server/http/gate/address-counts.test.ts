// Connections and streams of one client, whatever address of its own it uses.
import { expect, test } from 'vitest';
import { AddressCounts } from './address-counts.ts';

test('counts the addresses of one IPv6 network as one client', () => {
  const counts = new AddressCounts();
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1', '192.0.2.1', '::ffff:192.0.2.1'])
    counts.note(address, +1);
  expect(['2001:db8:1:2::5', '2001:db8:1:3::5', '2001:db8:1:4::5', '192.0.2.1', '192.0.2.2'].map((each) => counts.of(each))).toEqual([
    2, 1, 0, 2, 0,
  ]);
  counts.note('2001:db8:1:2:3::1', -1);
  expect(counts.of('2001:db8:1:2::1')).toBe(1);
});
