import { kindByName, kinds } from '@svc/shared/kinds';
import { expect, test } from 'vitest';
import { cursorContext } from './cursor-context.ts';
import { envelopeNode } from './schema-source.ts';
import { offerAt } from './suggestions.ts';

/** Suggestions at the bar. */
function offered(kind: string, text: string, present: readonly string[] = []) {
  const offset = text.indexOf('|');
  const clean = text.replace('|', '');
  const context = cursorContext(clean, offset);
  if (!context) return undefined;
  const schema = envelopeNode({ definition: kindByName(kind), kinds, namespace: 'default' });
  return offerAt({ schema, context, present: new Set(present), tight: clean[context.from - 1] === ':' });
}
const labels = (kind: string, text: string, present?: readonly string[]) =>
  offered(kind, text, present)?.suggestions.map(({ label }) => label);
const inserts = (kind: string, text: string) => offered(kind, text)?.suggestions.map(({ insert }) => insert);

test('present keys are not offered again, and required ones come first', () => {
  expect(labels('Agent', '|', ['kind'])).toEqual(['apiVersion', 'metadata', 'spec']);
  expect(labels('Agent', 'spec:\n  |', ['prompt'])?.[0]).toBe('model_ref');
  expect(labels('Agent', 'spec:\n  |', ['prompt'])).not.toContain('prompt');
});

test('a key includes the start of its value', () => {
  expect(inserts('Agent', 'spec:\n  |')).toEqual(expect.arrayContaining(['model_ref: ', 'tools:\n    - ', 'limits:\n    ']));
  expect(inserts('AgentSystem', 'spec:\n  graph:\n    a:\n      edges:\n        |')).toContain('- to: ');
});

test.each([
  ['kind: |', 'Agent', 'TaskSchedule'],
  ['spec:\n  execution:\n    profile: |', 'Agent', 'contract'],
  ['spec:\n  execution: {profile: |', 'Agent', 'contract'],
  ['spec:\n  memory:\n    allow:\n      - |', 'Agent', 'search'],
  ['spec:\n  suspend: |', 'TaskSchedule', 'true'],
  ['spec:\n  schedule: |', 'TaskSchedule', '0 2 * * *'],
  ['spec:\n  limits:\n    timeout: |', 'Agent', '5m'],
])('%j offers %s %s', (text, kind, value) => {
  expect(labels(kind, text)).toContain(value);
});

test('an ambiguous value is quoted', () => {
  expect(inserts('TaskSchedule', 'spec:\n  schedule: |')).toContain('"*/15 * * * *"');
  expect(inserts('Agent', 'spec:\n  limits:\n    timeout:|')).toContain(' 5m');
});

test.each([
  ['spec:\n  model_ref: |', 'ModelEndpoint', ''],
  ['spec:\n  tools:\n    - |', 'Tool', ''],
  ['spec:\n  tools:\n    |', 'Tool', '- '],
  ['spec:\n  tools: [a, |', 'Tool', ''],
])('in %j names of %s fit', (text, kind, before) => {
  expect(offered('Agent', text)?.references).toEqual({ kind, before });
});

test('nothing is offered where the kind has no such place', () => {
  expect(offered('Agent', 'spec:\n  nonsense:\n    |')).toBeUndefined();
});
