import { expect, test } from 'vitest';
import { holdOutput } from './held-output.ts';

test('lines wait for the release, and then come in order', () => {
  const written: string[] = [];
  const held = holdOutput({ write: (line) => written.push(line) });
  held.write('a');
  held.write('b');
  expect(written).toEqual([]);
  held.release();
  held.write('c');
  held.release();
  expect(written).toEqual(['a', 'b', 'c']);
});
