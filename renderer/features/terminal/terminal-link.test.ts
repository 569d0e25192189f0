import { INPUT_MAX_CHARS } from '@svc/shared/api/terminals';
import { expect, test } from 'vitest';
import { parts } from './terminal-link.ts';

test('long texts are sent in parts that cut no character', () => {
  const text = `${'x'.repeat(INPUT_MAX_CHARS - 1)}🦊${'y'.repeat(INPUT_MAX_CHARS)}`;
  const sent = parts(text);
  expect(sent.join('')).toBe(text);
  expect(sent.every((part) => part.length <= INPUT_MAX_CHARS)).toBe(true);
  expect(sent[0]).toBe('x'.repeat(INPUT_MAX_CHARS - 1));
});
