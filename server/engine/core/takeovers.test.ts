// The rules of runs that workers lose, as tables.
import { expect, test } from 'vitest';
import { testClaim } from '../../testing/observed-run.ts';
import { separate } from '../shell/separate-claims.ts';
import type { Entry } from './entries.ts';
import { madeProgress, standingOf } from './takeovers.ts';

test.each([
  [0, 3, 'trusted'],
  [1, 3, 'in_doubt'],
  [2, 3, 'last_chance'],
  [3, 3, 'poisoned'],
  [4, 3, 'poisoned'],
  [1, 1, 'poisoned'],
  [1, 2, 'last_chance'],
  [9, 0, 'in_doubt'],
])('a run taken over %i times of %i is %s', (takeovers, max, standing) => {
  expect(standingOf(takeovers, max)).toBe(standing);
});

const of = (type: Entry['type']) => ({ type, at: 0, data: {} }) as unknown as Entry;

test.each<[Entry['type'][], boolean]>([
  [['run.claimed', 'call.resent'], false],
  [['run.released'], false],
  [[], false],
  [['run.claimed', 'approval.requested'], true],
  [['model.completed'], true],
  [['run.started'], true],
])('the entries %j are progress: %s', (types, progress) => {
  expect(madeProgress(types.map(of))).toBe(progress);
});

const claim = (key: string, takeovers: number, alone = false) => testClaim({ key, takeovers, requirements: alone ? { alone } : {} });

test.each<[string, ReturnType<typeof claim>[], string[], string[]]>([
  ['runs without doubt are kept together', [claim('a', 0), claim('b', 1)], ['a', 'b'], []],
  ['a run on its last chance is given back to be alone', [claim('a', 2), claim('b', 0)], ['b'], ['a alone']],
  ['a run that has to be alone is kept without the new ones', [claim('a', 2, true), claim('b', 0)], ['a'], ['b']],
  ['of two that have to be alone one is kept', [claim('a', 2, true), claim('b', 2, true)], ['a'], ['b alone']],
  ['a run that has to be alone goes before another one in doubt', [claim('a', 2, true), claim('b', 1)], ['a'], ['b']],
  ['a run that is given up is kept beside it', [claim('a', 2, true), claim('b', 3)], ['a', 'b'], []],
])('%s', (_, claims, kept, back) => {
  const separated = separate(claims, 3);
  expect(separated.kept.map(({ key }) => key)).toEqual(kept);
  expect(separated.back.map(({ claim: { key }, alone }) => (alone ? `${key} alone` : key))).toEqual(back);
});
