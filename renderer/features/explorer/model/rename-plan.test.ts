// Plans of renames, over the real definitions of the kinds.
import { kindByName } from '@svc/shared/kinds';
import { expect, test } from 'vitest';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renamePlan, renameRequest } from './rename-plan.ts';

const triage = objectOf('Agent', 'triage', { spec: { model_ref: 'm', prompt: 'You are triage.' }, labels: { team: 'desk' } });
const plan = (holders: Parameters<typeof renamePlan>[1]['holders'], to = 'router') =>
  renamePlan(triage, { holders, to, definitionOf: kindByName });
const documents = (made: ReturnType<typeof plan>) => renameRequest(made).documents as { metadata: object; spec: unknown }[];

test('a rename changes a system in its list, graph and layout, and no text that only looks like the name', () => {
  const graph = {
    triage: { edges: [{ to: 'billing', labels: { to: 'triage' } }, { to: 'triage' }] },
    billing: { next: 'triage' },
  };
  const annotations = { 'svc.dev/ui-layout': '{"d":"LR","n":{"triage":[1,2],"billing":[3,4]}}', note: 'triage' };
  const [object, system] = documents(
    plan([objectOf('AgentSystem', 'desk', { spec: { agents: ['triage', 'billing'], graph }, annotations })]),
  );
  expect(object).toMatchObject({ metadata: { name: 'router', labels: { team: 'desk' } }, spec: triage.spec });
  expect(system?.spec).toEqual({
    agents: ['router', 'billing'],
    graph: { router: { edges: [{ to: 'billing', labels: { to: 'triage' } }, { to: 'router' }] }, billing: { next: 'router' } },
  });
  expect(system?.metadata).toMatchObject({
    annotations: { 'svc.dev/ui-layout': '{"d":"LR","n":{"router":[1,2],"billing":[3,4]}}', note: 'triage' },
  });
});

test('references of every kind follow, with their namespace where they name one', () => {
  const permission = objectOf('ToolPermission', 'ask', { spec: { tool_ref: 't', apply_mode: 'scoped', target_agents: ['x', 'triage'] } });
  const elsewhere = objectOf('AgentSystem', 'remote', {
    namespace: 'far',
    spec: { agents: ['ops/triage', 'triage'], graph: { 'ops/triage': { next: 'triage' }, triage: { next: 'ops/triage' } } },
  });
  const [, first, second] = documents(plan([permission, elsewhere]));
  expect(first?.spec).toMatchObject({ target_agents: ['x', 'router'] });
  expect(second?.spec).toEqual({
    agents: ['ops/router', 'triage'],
    graph: { 'ops/router': { next: 'triage' }, triage: { next: 'ops/router' } },
  });
});

test('records keep the earlier name', () => {
  const made = plan([objectOf('ToolApproval', 'one', { spec: { agent: 'triage', tool: 't' } })]);
  expect(made.referrers).toEqual([]);
  expect(made.unchanged).toEqual([{ kind: 'ToolApproval', namespace: 'ops', name: 'one' }]);
});

test('a system that names the new name already is reported', () => {
  const made = plan([objectOf('AgentSystem', 'desk', { spec: { agents: ['triage', 'router'] } })]);
  expect(made.taken).toEqual([{ kind: 'AgentSystem', namespace: 'ops', name: 'desk' }]);
});

test('one request writes the new object, its referrers as they were read, and the removal of the earlier one', () => {
  const system = objectOf('AgentSystem', 'desk', { spec: { agents: ['triage'] }, resourceVersion: '7' });
  expect(renameRequest(plan([system]))).toMatchObject({
    namespace: 'ops',
    preconditions: [{ mustNotExist: true }, { uid: 'uid-AgentSystem-desk', resourceVersion: '7' }],
    removals: [{ kind: 'Agent', namespace: 'ops', name: 'triage', uid: 'uid-Agent-triage', resourceVersion: '1' }],
  });
});

test('names of the agent in overrides follow, by the name that the system has for it', () => {
  const desk = objectOf('AgentSystem', 'desk', { spec: { agents: ['triage', 'billing'] } });
  const far = objectOf('AgentSystem', 'far', { namespace: 'lib', spec: { agents: ['ops/triage', 'triage'] } });
  const session = (name: string, system: string, prompt: object) => objectOf('Session', name, { spec: { system, overrides: { prompt } } });
  const users = [
    session('forked', 'desk', { triage: 'Be kind.', billing: 'triage' }),
    session('remote', 'lib/far', { 'ops/triage': 'Be brief.', triage: 'Stays.' }),
    session('other', 'another', { triage: 'Stays.' }),
    session('plain', 'desk', {}),
  ];
  const made = renamePlan(triage, { holders: [desk, far], users, to: 'router', definitionOf: kindByName });
  expect(made.unchanged).toEqual([]);
  const specs = Object.fromEntries(made.referrers.map(({ base, document }) => [base.metadata.name, (document as { spec: unknown }).spec]));
  expect(Object.keys(specs)).toEqual(['desk', 'far', 'forked', 'remote']);
  expect(specs['forked']).toMatchObject({ overrides: { prompt: { router: 'Be kind.', billing: 'triage' } } });
  expect(specs['remote']).toMatchObject({ overrides: { prompt: { 'ops/router': 'Be brief.', triage: 'Stays.' } } });
});

test('an override that has the new name already is kept', () => {
  const desk = objectOf('AgentSystem', 'desk', { spec: { agents: ['triage'] } });
  const session = objectOf('Session', 'one', { spec: { system: 'desk', overrides: { prompt: { triage: 'a', router: 'b' } } } });
  const made = renamePlan(triage, { holders: [desk], users: [session], to: 'router', definitionOf: kindByName });
  expect(made.referrers.map(({ base }) => base.kind)).toEqual(['AgentSystem']);
});
