// New names of agents that are not stored.
import { kindByName } from '@svc/shared/kinds';
import { expect, test } from 'vitest';
import { draftId, newDraft } from './drafts.ts';
import { renameAgent } from './rename-agent.ts';

const agent = newDraft({ kind: 'Agent', namespace: 'ops', name: 'triage' }, { model_ref: 'm', prompt: '' });
const permission = newDraft(
  { kind: 'ToolPermission', namespace: 'ops', name: 'ask' },
  { tool_ref: 't', apply_mode: 'scoped', target_agents: ['triage'] },
);
const drafts = new Map([agent, permission].map((draft) => [draftId(draft), draft]));
const text = `spec:
  agents:
    - triage # the first
    - billing
  graph:
    triage: # routes
      next: billing
`;

test('the text keeps its comments, and the drafts follow', () => {
  const made = renameAgent({ text, drafts }, { namespace: 'ops', agent: 'triage', to: 'router', definitionOf: kindByName });
  expect(made.text).toBe(text.replace('- triage', '- router').replace('triage: #', 'router: #'));
  expect([...made.drafts.keys()]).toEqual(['Agent ops/router', 'ToolPermission ops/ask']);
  expect(made.drafts.get('Agent ops/router')?.text).toContain('name: router');
  expect(made.drafts.get('ToolPermission ops/ask')?.text).toContain('- router');
});

const RENAME = { namespace: 'ops', agent: 'triage', to: 'b', definitionOf: kindByName };

test('a system or a draft that does not match its schema refuses a name that it could not follow', () => {
  const invalid = text.replace('graph:', 'graph: 3\n  context_adapter:');
  expect(() => renameAgent({ text: invalid, drafts }, RENAME)).toThrow('The system does not match its schema');
  const broken = { ...permission, text: permission.text.replace('tool_ref: t', 'tool_ref: [t]') };
  const withBroken = new Map([agent, broken].map((draft) => [draftId(draft), draft]));
  expect(() => renameAgent({ text, drafts: withBroken }, RENAME)).toThrow('ToolPermission ask does not match its schema');
});

test('a draft without the name may have problems', () => {
  const model = { ...newDraft({ kind: 'ModelEndpoint', namespace: 'ops', name: 'm' }, {}), text: 'spec: { provider: [] }\n' };
  const made = renameAgent({ text, drafts: new Map([[draftId(model), model]]) }, RENAME);
  expect(made.text).toContain('- b #');
});
