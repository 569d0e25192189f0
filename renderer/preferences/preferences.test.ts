import { mergePatch, type Json } from '@svc/shared/json';
import { expect, test } from 'vitest';
import { CONTRAST, flagPreference, listPreference, mapPreference, patchBetween, THEME } from './preferences.ts';

test('an invalid value reads as the default', () => {
  expect([THEME.read('dark'), THEME.read('pink'), THEME.read(undefined), CONTRAST.read(3)]).toEqual(['dark', 'system', 'system', 'system']);
  expect(flagPreference('a', true).read('yes')).toBe(true);
  expect(listPreference('a').read(['x', 1, 'y'])).toEqual(['x', 'y']);
  expect(mapPreference('a').read({ x: 'y', z: 1 })).toEqual({ x: 'y' });
  expect(mapPreference('a').read(['x'])).toEqual({});
});

test.each<[Json | undefined, Json]>([
  [undefined, { a: '1' }],
  [{ a: '1', b: '2' }, { b: '2' }],
  [{ a: { x: 1, y: 2 } }, { a: { y: 3 } }],
  [['a'], ['b']],
  [{ a: '1' }, 'text'],
])('the patch between %j and %j leads from one to the other', (before, after) => {
  expect(mergePatch(before, patchBetween(before, after))).toEqual(after);
});
