import { expect, test } from 'vitest';
import { bodySyntax, onlyDocument, RESOURCE_TYPES } from './documents.ts';

test('a body is one document: none and several are refused, several with where to send them', () => {
  expect(onlyDocument([{ kind: 'Agent' }])).toEqual({ kind: 'Agent' });
  expect(() => onlyDocument([])).toThrow('The body is empty');
  expect(() => onlyDocument([{}, {}])).toThrow(/2 YAML documents where one is expected.*\/v1\/apply/);
});

test('a body of another type is refused with the header that is missing', () => {
  expect(() => bodySyntax({ 'content-type': 'text/plain' }, RESOURCE_TYPES)).toThrow(
    /^The header Content-Type must be one of application\/json, .*, not text\/plain$/,
  );
  expect(() => bodySyntax({ 'content-type': 'application/x-www-form-urlencoded' }, RESOURCE_TYPES)).toThrow(
    "; with curl, add -H 'content-type: application/json'",
  );
});
