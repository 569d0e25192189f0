import { expect, test } from 'vitest';
import { OutputRing } from './output-ring.ts';

test('a ring keeps the newest output from a line break on', () => {
  const ring = new OutputRing(10);
  ring.push(Buffer.from('ab\ncd\n'));
  expect(ring.read()).toEqual({ bytes: Buffer.from('ab\ncd\n'), truncated: false });
  ring.push(Buffer.from('efgh\n'));
  expect(ring.read()).toEqual({ bytes: Buffer.from('cd\nefgh\n'), truncated: true });
});

test('a ring keeps output without line breaks within its size', () => {
  const ring = new OutputRing(8);
  for (let count = 0; count < 100; count += 1) ring.push(Buffer.from('xyz'));
  expect(ring.read().bytes).toHaveLength(8);
});
