// Tools of an MCP server as rows: their states and their estimated cost.
import { expect, test } from 'vitest';
import { objectOf } from '../../../testing/fake-objects.ts';
import { contextTokens, toolRows, totalTokens } from './tool-rows.ts';

const tool = (name: string, mcpName: string, spec: object = {}) =>
  objectOf('Tool', name, { spec: { type: 'mcp', mcp_tool_name: mcpName, ...spec } });
const states = (rows: ReturnType<typeof toolRows>) => Object.fromEntries(rows.map(({ name, state }) => [name, state]));

test('tools outside of the filter are filtered out, and clashing ones are not imported', () => {
  const rows = toolRows({
    status: { discoveredTools: ['find', 'fetch', 'a b', 'drop'] },
    include: ['find', 'a b', 'gone'],
    tools: [tool('s--find', 'find')],
  });
  expect(states(rows)).toEqual({ 'a b': 'missing', drop: 'filtered', fetch: 'filtered', find: 'generated', gone: 'unlisted' });
});

test('without a filter every listed tool is wanted', () => {
  expect(states(toolRows({ status: { discoveredTools: ['find'] }, include: undefined, tools: [] }))).toEqual({ find: 'missing' });
});

test('the cost of a tool grows with its description and input schema, not with its output schema', () => {
  const small = tool('s--find', 'find', { description: 'Finds', input_schema: { type: 'object' } });
  const large = tool('s--find', 'find', { description: 'Finds'.repeat(100), input_schema: { type: 'object' } });
  const withOutput = tool('s--find', 'find', { ...small.spec, output_schema: { type: 'object', properties: { a: { type: 'string' } } } });
  expect(contextTokens(large) - contextTokens(small)).toBe(Math.ceil((99 * 5) / 4));
  expect(contextTokens(withOutput)).toBe(contextTokens(small));
  const rows = toolRows({ status: { discoveredTools: ['find', 'drop'] }, include: undefined, tools: [small, tool('s--drop', 'drop')] });
  expect(totalTokens(rows)).toBe(contextTokens(small) + contextTokens(tool('s--drop', 'drop')));
});
