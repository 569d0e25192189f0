// Sharing of stored objects by their text.
import { expect, test } from 'vitest';
import { parseObject } from './parse-object.ts';

const text = (name: string, prompt = 'Answer.') => JSON.stringify({ kind: 'Agent', namespace: 'default', name, spec: { prompt } });

test('equal text gives one object', () => {
  expect(parseObject(text('one'))).toBe(parseObject(text('one')));
});

test('another version gives another object', () => {
  expect(parseObject(text('two', 'Ask.'))).toMatchObject({ spec: { prompt: 'Ask.' } });
  expect(parseObject(text('two', 'Reply.'))).toMatchObject({ spec: { prompt: 'Reply.' } });
});

test('a long text is not remembered', () => {
  const long = text('three', 'x'.repeat(40_000));
  expect(parseObject(long)).not.toBe(parseObject(long));
});
