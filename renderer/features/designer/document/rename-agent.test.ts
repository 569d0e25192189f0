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

test('a text that is no valid system stays unchanged', () => {
  const made = renameAgent(
    { text: 'spec: { agents: 3 }\n', drafts },
    { namespace: 'ops', agent: 'triage', to: 'b', definitionOf: kindByName },
  );
  expect(made.text).toBe('spec: { agents: 3 }\n');
});
