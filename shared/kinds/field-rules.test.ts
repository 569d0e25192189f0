import { expect, test } from 'vitest';
import { validateAgentSystem } from './agent-system/rules.ts';
import { validateTask } from './task/rules.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
const mapOf = <T>(count: number, value: T) => Object.fromEntries(names(count).map((name) => [name, value]));

test('a system has at most 1000 agents and nodes, and a task 1000 input entries', () => {
  expect(validateAgentSystem({ agents: names(1000), graph: mapOf(1000, {}) })).toEqual([]);
  expect(validateAgentSystem({ agents: names(1001), graph: mapOf(1002, {}) })).toEqual([
    { path: 'spec.agents', message: 'must have at most 1000 entries, not 1001' },
    { path: 'spec.graph', message: 'must have at most 1000 entries, not 1002' },
  ]);
  expect(validateTask({ system: 's', input: mapOf(1000, 'x') })).toEqual([]);
  expect(validateTask({ system: 's', input: mapOf(1001, 'x') })).toEqual([
    { path: 'spec.input', message: 'must have at most 1000 entries, not 1001' },
  ]);
});
