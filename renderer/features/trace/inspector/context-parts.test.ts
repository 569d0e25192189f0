// Composition of the context of a call and the tools offered in it, as recorded.
import type { AgentDefinition } from '@svc/shared/api/runs';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { expect, test } from 'vitest';
import { callBefore, contextParts, offeredTools, toolChanges } from './context-parts.ts';
import { conversationOf } from '../model/conversation.ts';
import { SpanFold } from '../model/spans.ts';

const AGENT: AgentDefinition = { agent: 'a', prompt: 'p'.repeat(40), tools: [{ name: 'read' }, { name: 'write' }], withdraws: true };
const of = (type: TraceEntry['type'], more: Partial<TraceEntry> = {}): TraceEntry => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  type,
  attempt: 1,
  step: 1,
  agent: 'a',
  branch_id: 'b001',
  ...more,
});
const call = [of('model_call'), of('model_output', { output: 'I read.', asked_tools: ['read'] })];
const TURN = [
  at0('task_start', { input: 'q'.repeat(20) }),
  of('agent_start'),
  ...call,
  of('tool_call', { tool: 'read', output: 'r'.repeat(33) }),
  of('model_call', { step: 2 }),
  of('model_output', { step: 2, output: 'Done.' }),
];

function at0(type: TraceEntry['type'], more: Partial<TraceEntry>): TraceEntry {
  return { timestamp: '2026-01-01T00:00:00.000Z', type, attempt: 1, step: 0, ...more };
}

function modelsOf(entries: readonly TraceEntry[]) {
  const fold = new SpanFold();
  fold.append(entries);
  return fold.spans.filter(({ kind }) => kind === 'model');
}

test('the parts are the sent ones, by length', () => {
  const [, second] = modelsOf(TURN);
  if (!second) throw new Error('no second call');
  const parts = contextParts(AGENT.prompt, [], conversationOf(TURN, second));
  expect(parts.map(({ name, chars }) => [name, chars])).toEqual([
    ['system', 40],
    ['tools', 0],
    ['input', 20],
    ['history', 40],
  ]);
  expect(parts.map(({ share }) => share)).toEqual([0.4, 0, 0.2, 0.4]);
  expect(contextParts('', [], [])).toEqual([]);
});

test('a tool that has succeeded is no longer offered when the agent withdraws it', () => {
  const [first, second] = modelsOf(TURN);
  if (!first || !second) throw new Error('no calls');
  const names = (agent: AgentDefinition, model: typeof first) => offeredTools(agent, TURN, model).map(({ name }) => name);
  expect([names(AGENT, first), names(AGENT, second)]).toEqual([['read', 'write'], ['write']]);
  expect(names({ ...AGENT, withdraws: false }, second)).toEqual(['read', 'write']);
  expect([callBefore(first), callBefore(second)]).toEqual([undefined, first]);
});

test('a route is chosen once, even when other tools stay', () => {
  const chosen = TURN.map((entry) => (entry.type === 'tool_call' ? { ...entry, tool: 'route.choose' } : entry));
  const [first, second] = modelsOf(chosen);
  if (!first || !second) throw new Error('no calls');
  const agent = { ...AGENT, withdraws: false, choice: { name: 'route.choose' } };
  const names = (model: typeof first) => offeredTools(agent, chosen, model).map(({ name }) => name);
  expect([names(first), names(second)]).toEqual([
    ['read', 'write', 'route.choose'],
    ['read', 'write'],
  ]);
});

test('work that a reviewer sent back has all tools again', () => {
  const sentBack = [...TURN, of('task_approval_resolved', { decision: 'request_changes' }), of('model_call', { step: 3 })];
  const third = modelsOf(sentBack).at(-1);
  if (!third) throw new Error('no third call');
  expect(offeredTools(AGENT, sentBack, third).map(({ name }) => name)).toEqual(['read', 'write']);
});

test('lists of tools are compared by name and by the description that the model received', () => {
  const before = [{ name: 'a' }, { name: 'b', description: 'old' }];
  expect(toolChanges(before, [{ name: 'b', description: 'new' }, { name: 'c' }])).toEqual({ added: ['c'], removed: ['a'], changed: ['b'] });
});
