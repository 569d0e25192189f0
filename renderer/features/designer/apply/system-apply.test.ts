import type { Resource } from '@svc/shared/resource';
import { expect, test } from 'vitest';
import { newDraft, draftOf, type DraftObject } from '../document/drafts.ts';
import { problemOfObject, requestFor, shownText, undoOf } from './system-apply.ts';

const stored = (name: string, spec: object, resourceVersion = '3'): Resource =>
  ({
    apiVersion: 'svc.dev/v1',
    kind: 'Agent',
    metadata: {
      name,
      namespace: 'n',
      uid: `uid-${name}`,
      resourceVersion,
      generation: 1,
      labels: {},
      annotations: {},
      createdAt: '',
      updatedAt: '',
    },
    spec,
    status: {},
  }) as unknown as Resource;
const agent = newDraft({ kind: 'Agent', namespace: 'n', name: 'planner' }, { model_ref: 'm', prompt: '' });

test('a request marks each document as new or with the version that it is meant for', () => {
  const known = draftOf(stored('writer', { model_ref: 'm' }));
  expect(requestFor([agent, known])).toEqual({
    documents: [
      { apiVersion: 'svc.dev/v1', kind: 'Agent', metadata: { name: 'planner', namespace: 'n' }, spec: { model_ref: 'm', prompt: '' } },
      { apiVersion: 'svc.dev/v1', kind: 'Agent', metadata: { name: 'writer', namespace: 'n' }, spec: { model_ref: 'm' } },
    ],
    preconditions: [{ mustNotExist: true }, { uid: 'uid-writer', resourceVersion: '3' }],
  });
});

test.each<[string, DraftObject, string]>([
  ['unreadable YAML', { ...agent, text: 'spec: [' }, 'Line '],
  ['another kind', { ...agent, text: agent.text.replace('kind: Agent', 'kind: Tool') }, 'kind must stay Agent'],
  ['another name', { ...agent, text: agent.text.replace('name: planner', 'name: other') }, 'metadata.name must stay planner'],
  ['another namespace', { ...agent, text: agent.text.replace('namespace: n', 'namespace: m') }, 'metadata.namespace must stay n'],
  [
    'another name of a stored object',
    { ...draftOf(stored('writer', {})), text: 'kind: Agent\nmetadata: { name: other }\nspec: {}\n' },
    'metadata.name must stay writer',
  ],
])('a draft with %s is not sent', (_what, draft, message) => {
  const request = requestFor([draft]);
  expect(request).toMatchObject({ problems: [{ message: expect.stringContaining(message) as string }] });
});

test('a new system without a name is left to the server, which names the rule', () => {
  const system = newDraft({ kind: 'AgentSystem', namespace: 'n', name: '' }, { agents: [] });
  for (const name of ['', 'name: 2024']) {
    const text = system.text.replace(/name: .*/, name);
    expect(requestFor([{ ...system, text }])).toMatchObject({ preconditions: [{ mustNotExist: true }] });
  }
});

test('a problem of a document belongs to its object', () => {
  expect(problemOfObject([agent], { path: 'documents[0].spec.model_ref', message: 'is required' })).toEqual({
    id: 'Agent n/planner',
    message: 'spec.model_ref is required',
  });
  expect(problemOfObject([agent], { path: 'documents[7]', message: 'x' })).toBeUndefined();
});

test('a review never shows the value of a Secret', () => {
  const secret = newDraft({ kind: 'Secret', namespace: 'n', name: 'key' }, { stringData: { value: 'sk-live' } });
  expect(shownText(secret)).toBe('# One value is set; none is shown.\nvalue: ***\n');
});

test('an undo restores what was changed, deletes what was made, and refuses what changed since', () => {
  const before = stored('writer', { model_ref: 'old' });
  const after = stored('writer', { model_ref: 'new' }, '4');
  const made = stored('planner', { model_ref: 'm' }, '1');
  const applied = [
    { before: undefined, after: made },
    { before, after },
  ];
  // A write to the status alone has raised the version.
  const now = [stored('planner', { model_ref: 'm' }, '2'), after];
  expect(undoOf(applied, now)).toMatchObject({
    documents: [{ kind: 'Agent', metadata: { name: 'writer' }, spec: { model_ref: 'old' } }],
    preconditions: [{ uid: 'uid-writer', resourceVersion: '4' }],
    removals: [{ kind: 'Agent', namespace: 'n', name: 'planner', uid: 'uid-planner', resourceVersion: '2' }],
  });
  expect(undoOf(applied, [now[0], stored('writer', { model_ref: 'theirs' }, '5')])).toEqual({ changed: ['Agent writer'] });
  expect(undoOf(applied, [undefined, after])).toEqual({ changed: ['Agent planner'] });
});
