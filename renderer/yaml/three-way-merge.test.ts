import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergedSequence, mergeSequences } from './merge-sequences.ts';
import { toYaml } from './serialise.ts';
import { openConflicts, planMerge, type MergeChoice } from './three-way-merge.ts';

const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 });

describe('sequences', () => {
  test('the regions cover the whole of each version', () => {
    fc.assert(
      fc.property(letters, letters, letters, (base, mine, theirs) => {
        const regions = mergeSequences({ base, mine, theirs });
        expect(regions.flatMap((each) => each.base)).toEqual(base);
        expect(regions.flatMap((each) => each.mine)).toEqual(mine);
        expect(regions.flatMap((each) => each.theirs)).toEqual(theirs);
      }),
    );
  });
  test('an unchanged side has no influence', () => {
    fc.assert(
      fc.property(letters, letters, (base, other) => {
        expect(mergedSequence(mergeSequences({ base, mine: other, theirs: base }))).toEqual(other);
        expect(mergedSequence(mergeSequences({ base, mine: base, theirs: other }))).toEqual(other);
        expect(mergedSequence(mergeSequences({ base, mine: other, theirs: other }))).toEqual(other);
      }),
    );
  });
  test('changes in different places are combined', () => {
    const regions = mergeSequences({ base: [...'abcdef'], mine: [...'aXbcdef'], theirs: [...'abcdeYf'] });
    expect(mergedSequence(regions)?.join('')).toBe('aXbcdeYf');
  });
});

const scalar = fc.oneof(fc.integer({ max: 9, min: 0 }), fc.constantFrom('x', 'y', 'one\ntwo\n'), fc.boolean());
const object = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;
const root = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), object, { minKeys: 1, maxKeys: 4 }).map((value) => ({ ...value }));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function all(choice: MergeChoice, plan: ReturnType<typeof planMerge>) {
  return new Map(plan.hunks.map((hunk) => [hunk.id, choice]));
}

describe('objects', () => {
  test('with one side everywhere the result is that side', () => {
    fc.assert(
      fc.property(root, root, root, (base, mine, theirs) => {
        const plan = planMerge({ base: toYaml(base), mine: toYaml(mine), theirs: toYaml(theirs) });
        expect(plan.by).toBe('path');
        expect(plain(parse(plan.result(all('mine', plan)) ?? ''))).toEqual(plain(mine));
        expect(plain(parse(plan.result(all('theirs', plan)) ?? ''))).toEqual(plain(theirs));
      }),
    );
  });
  test('only fields that both sides changed differently need a choice', () => {
    fc.assert(
      fc.property(root, root, (base, other) => {
        const [b, o] = [toYaml(base), toYaml(other)];
        for (const texts of [
          { base: b, mine: o, theirs: b },
          { base: b, mine: b, theirs: o },
          { base: b, mine: o, theirs: o },
        ]) {
          const plan = planMerge(texts);
          expect(openConflicts(plan, new Map())).toEqual([]);
          expect(plain(parse(plan.result(new Map()) ?? ''))).toEqual(plain(other));
        }
      }),
    );
  });
});

const BASE = `spec:
  model_ref: small
  prompt: |
    Be brief.

    Answer in English.
  tools: [search]
  limits:
    max_steps: 5
`;

test('edits of different fields are combined, with my comments', () => {
  const mine = BASE.replace('model_ref: small', 'model_ref: large # for the audit');
  const theirs = BASE.replace('max_steps: 5', 'max_steps: 9');
  expect(planMerge({ base: BASE, mine, theirs }).result(new Map())).toBe(mine.replace('max_steps: 5', 'max_steps: 9'));
});

test('two additions to a list, and edits of different lines of a text, are offered together', () => {
  const mine = BASE.replace('[search]', '[search, mail]').replace('Be brief.', 'Be very brief.');
  const theirs = BASE.replace('[search]', '[search, files]').replace('English', 'German');
  const plan = planMerge({ base: BASE, mine, theirs });
  expect(plan.hunks.map(({ title, status, preset }) => [title, status, preset])).toEqual([
    ['spec.prompt', 'conflict', 'both'],
    ['spec.tools', 'conflict', 'both'],
  ]);
  expect(parse(plan.result(new Map()) ?? '')).toMatchObject({
    spec: { prompt: 'Be very brief.\n\nAnswer in German.\n', tools: ['search', 'mail', 'files'] },
  });
});

test('a field that both sides set differently counts until it is chosen', () => {
  const texts = { base: BASE, mine: BASE.replace('small', 'large'), theirs: BASE.replace('small', 'tiny') };
  const plan = planMerge(texts);
  expect(openConflicts(plan, new Map()).map(({ title, mine, theirs }) => [title, mine, theirs])).toEqual([
    ['spec.model_ref', 'large', 'tiny'],
  ]);
  expect(plan.result(new Map())).toBeUndefined();
  expect(plan.result(new Map([['spec.model_ref', 'theirs' as const]]))).toBe(texts.theirs);
});

test('a field that one side removed and the other changed must be decided, and can be removed', () => {
  const plan = planMerge({ base: BASE, mine: BASE.replace('  limits:\n    max_steps: 5\n', ''), theirs: BASE.replace('5', '6') });
  expect(plan.hunks.map(({ title, status }) => [title, status])).toEqual([['spec.limits', 'conflict']]);
  expect(parse(plan.result(all('mine', plan)) ?? '')).not.toHaveProperty('spec.limits');
  expect(parse(plan.result(all('theirs', plan)) ?? '')).toHaveProperty('spec.limits.max_steps', 6);
});

test('unreadable texts are merged by lines', () => {
  const plan = planMerge({ base: 'a: [\nb\nc\n', mine: 'a: [\nB\nc\n', theirs: 'a: [\nb\nc\nd\n' });
  expect(plan.by).toBe('lines');
  expect(plan.result(new Map())).toBe('a: [\nB\nc\nd\n');
});

test('both versions of a last line without an end stay lines of their own', () => {
  const plan = planMerge({ base: 'a: [\nb', mine: 'a: [\nmine', theirs: 'a: [\ntheirs' });
  expect([plan.by, plan.result(new Map(plan.hunks.map(({ id }) => [id, 'both'])))]).toEqual(['lines', 'a: [\nmine\ntheirs']);
});

test.each([
  { mine: '[a, c, d]', theirs: '[a, b, d]', both: '[a, d]', change: 'removals of neighbours' },
  { mine: '[a, c, d]', theirs: '[a, b, x, c, d]', both: '[a, x, c, d]', change: 'a removal beside an addition' },
  { mine: '[a, d]', theirs: '[a, b, d]', both: '[a, d]', change: 'a removal that holds another one' },
])('$change are offered together', ({ mine, theirs, both }) => {
  const plan = planMerge({ base: 'agents: [a, b, c, d]', mine: `agents: ${mine}`, theirs: `agents: ${theirs}` });
  expect(openConflicts(plan, new Map())).toEqual([]);
  expect(parse(plan.result(new Map()) ?? '')).toEqual(parse(`agents: ${both}`));
});

test.each([
  { mine: '[a, X, c, d]', theirs: '[a, c, d]', change: 'an item changed here and removed there' },
  { mine: '[b, a, c, d]', theirs: '[a, c, d, b]', change: 'two places for an item' },
])('$change need a choice', ({ mine, theirs }) => {
  const plan = planMerge({ base: 'agents: [a, b, c, d]', mine: `agents: ${mine}`, theirs: `agents: ${theirs}` });
  expect(openConflicts(plan, new Map())).toHaveLength(1);
});
