import { expect, test } from 'vitest';
import { parsePeek, peekText } from './peek.ts';

const agent = { kind: 'Agent', namespace: 'ops', name: 'billing' };

test.each(['overview', 'yaml', 'relations'] as const)('an address keeps the object and its tab %s', (tab) =>
  expect(parsePeek(peekText(agent, tab))).toEqual({ ...agent, tab }),
);

test('an unknown tab reads as the overview', () => expect(parsePeek('Agent/ops/billing/nope')?.tab).toBe('overview'));

test.each(['', 'Agent', 'Agent/ops', 'Agent/ops/', 'Nope/ops/billing', 'Agent/ops/billing/yaml/more', '__proto__/a/b'])(
  '%j names no object',
  (text) => expect(parsePeek(text)).toBeUndefined(),
);
