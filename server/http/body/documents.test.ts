import { expect, test } from 'vitest';
import { onlyDocument } from './documents.ts';

test('a body is one document: none and several are refused, several with where to send them', () => {
  expect(onlyDocument([{ kind: 'Agent' }])).toEqual({ kind: 'Agent' });
  expect(() => onlyDocument([])).toThrow('The body is empty');
  expect(() => onlyDocument([{}, {}])).toThrow(/2 YAML documents where one is expected.*\/v1\/apply/);
});
