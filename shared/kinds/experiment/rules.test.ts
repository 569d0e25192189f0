// Sizes of experiments: how many runs they may make, and when they need a budget.
import { expect, test } from 'vitest';
import { EXPERIMENT_PART_MAX_BYTES } from './limits.ts';
import { normalizeExperiment, validateExperiment } from './rules.ts';
import type { WrittenExperimentSpec } from './schema.ts';

const named = (word: string, count: number) => Array.from({ length: count }, (_, index) => ({ name: `${word}${index}` }));

const problems = (spec: Partial<WrittenExperimentSpec>) =>
  validateExperiment(normalizeExperiment({ system: 'desk', cases: named('c', 1), ...spec })).map(
    ({ path, message }) => `${path} ${message}`,
  );

test.each([
  ['100 runs without a budget', { cases: named('c', 100) }],
  ['1,000 runs with a budget of tokens', { cases: named('c', 100), variants: named('v', 10), budget: { max_tokens: 1 } }],
  ['1,000 runs with a budget of cost', { cases: named('c', 200), repeats: 5, budget: { max_cost_usd: 0.5 } }],
])('accepts %s', (_, spec) => expect(problems(spec)).toEqual([]));

test.each([
  ['101 runs without a budget', { cases: named('c', 101) }, 'spec.budget is needed above 100 runs'],
  ['201 cases', { cases: named('c', 201), budget: { max_tokens: 1 } }, 'spec.cases must have at most 200 entries, not 201'],
  ['11 variants', { variants: named('v', 11) }, 'spec.variants must have at most 10 entries, not 11'],
  [
    '1,001 runs',
    { cases: named('c', 143), variants: named('v', 7), budget: { max_tokens: 1 } },
    'spec.cases must make at most 1000 runs; 143 cases × 7 variants × 1 repeats are 1001 runs',
  ],
])('refuses %s', (_, spec, sentence) => expect(problems(spec).join('\n')).toContain(sentence));

test('refuses a variant that is too large to be copied into each run', () => {
  const prompt = { writer: 'é'.repeat(EXPERIMENT_PART_MAX_BYTES / 2) };
  expect(problems({ variants: [{ name: 'long', overrides: { prompt } }] })).toEqual([
    expect.stringContaining('spec.variants[0] must have at most'),
  ]);
});
