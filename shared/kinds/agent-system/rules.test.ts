// Warnings about systems that are accepted and do not run as they read.
import { expect, test } from 'vitest';
import { adviseAgentSystem, normalizeAgentSystem } from './rules.ts';
import type { WrittenAgentSystemSpec } from './schema.ts';

const adviceOn = (spec: WrittenAgentSystemSpec) =>
  adviseAgentSystem(normalizeAgentSystem(spec)).map(({ path, message }) => `${path} ${message}`);

test.each([
  ['a cycle apart', { drafter: { next: 'critic' }, critic: { next: 'drafter' }, lead: {} }, 'drafter, critic'],
  ['none in separate parts', { drafter: { next: 'lead' }, critic: {} }, undefined],
  ['agents outside of the graph', { lead: {} }, 'drafter, critic'],
])('unreachable agents are named: %s', (_, graph, named) => {
  const advice = adviceOn({ agents: ['drafter', 'critic', 'lead'], graph });
  const message = 'spec.agents lists agents that never run, because no path from an entry agent leads to them: ';
  expect(advice).toEqual(named === undefined ? [] : [message + named]);
});

test.each([
  ['a mistyped key', { conditon: 'on_error' }, '.conditon has no effect; did you mean "condition"?'],
  [
    'a blank before a pattern',
    { condition: 'output_matches: ^URGENT' },
    '.condition has a pattern that begins with a blank, which an output has to contain too',
  ],
  ['a condition', { condition: 'output_matches:^ ?URGENT' }, undefined],
])('a policy of an edge is warned about where it does not say what it seems to: %s', (_, policy, warning) => {
  const advice = adviceOn({ agents: ['a', 'b'], graph: { a: { edges: [{ to: 'b', policy }] } } });
  expect(advice).toEqual(warning === undefined ? [] : [`spec.graph.a.edges[0].policy${warning}`]);
});
