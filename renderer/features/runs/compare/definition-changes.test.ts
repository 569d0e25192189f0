import type { RunDefinitions } from '@svc/shared/api/runs';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { expect, test } from 'vitest';
import { definitionChanges, isComparable, policyChanges } from './definition-changes.ts';

const agent = { name: 'a', prompt: 'Be kind.', model: 'm', tools: ['search'], roles: [], allowed_tools: [], settings: { maxSteps: 3 } };
const model = { name: 'm', namespace: 'n', provider: 'mock', options: { temperature: '0' }, fingerprint: 'sha256:1' };
const base: RunDefinitions = {
  attempt: 1,
  system: { namespace: 'n', name: 's', generation: 1, graph: { entrypoints: ['a'] } },
  agents: [agent],
  models: [model],
  tools: [],
};

test.each<[string, Partial<RunDefinitions>, string[]]>([
  ['nothing', {}, []],
  ['a later generation and attempt alone', { attempt: 2, system: { ...base.system, generation: 2 } }, []],
  ['a prompt', { agents: [{ ...agent, prompt: 'Be brief.' }] }, ['Prompt of a']],
  ['a model and its options', { models: [{ ...model, options: { temperature: '1' } }] }, ['Model endpoint m']],
  ['tools', { agents: [{ ...agent, tools: ['search', 'pay'] }] }, ['Tools of a']],
  ['roles', { agents: [{ ...agent, roles: ['clerk'] }] }, ['Access of a']],
  ['limits', { agents: [{ ...agent, settings: { maxSteps: 9 } }] }, ['Settings of a']],
  ['the graph', { system: { ...base.system, graph: { entrypoints: [] } } }, ['Graph of the system']],
  ['an endpoint that stays hidden', { models: [{ ...model, fingerprint: 'sha256:2' }] }, ['Model endpoint m']],
])('changes name %s', (_what, change, titles) => {
  expect(definitionChanges(base, { ...base, ...change }).map(({ title }) => title)).toEqual(titles);
});

test('an agent that only one run has is shown by its prompt alone, without a value before', () => {
  const changes = definitionChanges(base, { ...base, agents: [agent, { ...agent, name: 'b' }] });
  expect(changes).toEqual([{ title: 'Prompt of b', before: undefined, after: 'Be kind.' }]);
});

const verdict = (name: string, code: string) =>
  ({
    type: 'tool_call',
    agent: 'a',
    tool: 'pay',
    tool_code: code,
    rule: { kind: 'ToolPermission', name, path: 'spec.rules[0]' },
  }) as unknown as TraceEntry;

test('another rule that decided is a change of policy, a call of only one run is no change', () => {
  expect(policyChanges([verdict('old', 'deny')], [verdict('old', 'deny')])).toEqual([]);
  expect(policyChanges([verdict('old', 'deny')], [verdict('new', 'allow')])).toEqual([
    {
      title: 'Policy for a calling pay',
      before: 'deny by ToolPermission old spec.rules[0]',
      after: 'allow by ToolPermission new spec.rules[0]',
    },
  ]);
  expect(policyChanges([], [verdict('new', 'allow')]).filter(isComparable)).toEqual([]);
});
