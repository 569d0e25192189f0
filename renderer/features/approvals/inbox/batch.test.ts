import { describe, expect, test } from 'vitest';
import { BATCH_INPUT_MAX_CHARS, batchInputs } from './batch.ts';
import type { QueueItem } from './queue.ts';
import { toolApproval } from '../../../testing/approvals.ts';

const item = (name: string, input: string): QueueItem => ({
  approval: toolApproval({ name, spec: { input, task_ref: `run-${name}` } }),
  risk: 'low',
  system: undefined,
});

test('each different input appears once, with the calls that request it', () => {
  const inputs = batchInputs([item('a', '{"to":1}'), item('b', '{"to":2}'), item('c', '{"to":1}')]);
  expect(inputs.map(({ text, items }) => [text, items.map(({ approval }) => approval.name)])).toEqual([
    ['{\n  "to": 1\n}', ['a', 'c']],
    ['{\n  "to": 2\n}', ['b']],
  ]);
});

test('hidden characters are counted', () => {
  expect(batchInputs([item('a', JSON.stringify({ 'to\u200b': 'x\u202ey' }))])[0]?.hidden).toBe(2);
});

describe('a batch', () => {
  test('excludes a call whose input is too long to be read here', () =>
    expect(batchInputs([item('a', JSON.stringify({ to: 'x'.repeat(BATCH_INPUT_MAX_CHARS) }))])[0]?.problem).toMatch(/run-a.*too long/));
  test.each(['{"to": oops', '[1]', '"text"'])('excludes a call with the invalid input %s', (input) =>
    expect(batchInputs([item('a', input)])[0]?.problem).toMatch(/no tool accepts/),
  );
  test('includes a call without input', () => expect(batchInputs([item('a', '')])[0]?.problem).toBeUndefined());
});
