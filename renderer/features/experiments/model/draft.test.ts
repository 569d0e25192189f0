// The form of a new experiment: its spec, and the problems it finds by itself.
import { expect, test } from 'vitest';
import { emptyDraft, inputOf, nextId, problemsOf, readKept, specOfDraft, type Draft, type VariantRow } from './draft.ts';

const variant = (id: number, more: Partial<VariantRow>): VariantRow => ({
  ...{ id, name: `v${id}`, change: 'today', agent: '', generation: 0, text: '' },
  ...more,
});

const DRAFT: Draft = {
  ...{ name: 'tone', system: 'office', repeats: '2', parallelism: '4', maxTurns: '12', maxTokens: '1000' },
  cases: [{ id: 1, name: ' hello ', text: '{"message": "Hello", "count": 2}' }],
  variants: [
    variant(1, { name: 'today' }),
    variant(2, { change: 'version', agent: 'clerk', generation: 3 }),
    variant(3, { change: 'version', generation: 1 }),
    variant(4, { change: 'prompt', agent: 'clerk', text: 'Be brief.' }),
    variant(5, { change: 'model', agent: 'clerk', text: 'small' }),
  ],
};

test('makes the spec of an Experiment', () => {
  expect(specOfDraft(DRAFT)).toEqual({
    system: 'office',
    cases: [{ name: 'hello', input: { message: 'Hello', count: '2' } }],
    variants: [
      { name: 'today' },
      { name: 'v2', versions: [{ kind: 'Agent', name: 'clerk', generation: 3 }] },
      { name: 'v3', versions: [{ kind: 'AgentSystem', name: 'office', generation: 1 }] },
      { name: 'v4', overrides: { prompt: { clerk: 'Be brief.' } } },
      { name: 'v5', overrides: { model: { clerk: 'small' } } },
    ],
    ...{ repeats: 2, parallelism: 4, max_turns: 12, budget: { max_tokens: 1000 } },
  });
  expect([...problemsOf(DRAFT)]).toEqual([]);
});

test('an empty form names what is missing', () => {
  expect([...problemsOf(emptyDraft('')).keys()]).toEqual(['name', 'system', 'cases']);
});

test.each([
  ['name', { name: 'a b' }],
  ['case-text-1', { cases: [{ id: 1, name: 'x', text: '[1]' }] }],
  ['case-text-1', { cases: [{ id: 1, name: 'x', text: '{' }] }],
  [
    'case-2',
    {
      cases: [
        { id: 1, name: 'x', text: '' },
        { id: 2, name: ' x', text: '' },
      ],
    },
  ],
  ['variant-1', { variants: [variant(1, { name: ' ' })] }],
  ['change-1', { variants: [variant(1, { change: 'prompt' as const })] }],
  ['change-1', { variants: [variant(1, { change: 'version' as const, agent: 'clerk' })] }],
  ['change-1', { variants: [variant(1, { change: 'model' as const, agent: 'clerk' })] }],
  ['repeats', { repeats: 'two' }],
  ['maxTurns', { maxTurns: 'many' }],
  ['maxTokens', { maxTokens: '-1' }],
])('a problem is noted at %s', (field, change) => {
  expect([...problemsOf({ ...DRAFT, ...change }).keys()]).toEqual([field]);
});

test('numbers of an input stay as they are written', () => {
  expect(inputOf('{"price": 1.10, "id": 12345678901234567890, "list": [1.0]}')).toEqual({
    input: { price: '1.10', id: '12345678901234567890', list: '[1.0]' },
  });
  expect(inputOf('5')).toHaveProperty('problem');
});

test('an input without text is empty, and ids of new rows are new', () => {
  expect(inputOf(' ')).toEqual({ input: {} });
  expect([nextId([]), nextId([{ id: 4 }, { id: 2 }])]).toEqual([1, 5]);
});

test('requires a budget above 100 runs, and keeps given changes unchanged', () => {
  const many = { ...DRAFT, cases: Array.from({ length: 20 }, (_, id) => ({ id, name: `c${id}`, text: '' })), repeats: '10' };
  expect(problemsOf({ ...many, maxTokens: '' }).get('maxTokens')).toBe('Enter a budget: these are 1000 runs');
  expect(problemsOf({ ...many, maxTokens: '90000' }).get('maxTokens')).toBeUndefined();
  const given = { words: 'Drafts: prompt of clerk', overrides: { prompt: { clerk: 'Be kind.' } } };
  expect(specOfDraft({ ...DRAFT, variants: [variant(1, { change: 'given', given })] })).toMatchObject({
    variants: [{ name: 'v1', overrides: given.overrides }],
  });
});

test('reads a kept form, and nothing else', () => {
  expect(readKept(JSON.stringify(DRAFT))).toEqual(DRAFT);
  expect(readKept('kind: Experiment')).toBeUndefined();
  expect(readKept('{"cases": "many"}')).toBeUndefined();
});
