// Drafts as variants of an experiment: overrides where a trial can run them, versions to pin where they are applied first.
import type { Resource } from '@svc/shared/resource';
import { expect, test } from 'vitest';
import { draftVariants } from './draft-variants.ts';
import { draftOf, newDraft, NO_DRAFTS, withDraft, withField, type DraftObject } from './drafts.ts';

const stored = (kind: string, name: string, spec: object, namespace = 'default') =>
  ({
    apiVersion: 'svc.dev/v1',
    kind,
    metadata: {
      name,
      namespace,
      uid: `u-${name}`,
      generation: 4,
      resourceVersion: '9',
      labels: {},
      annotations: {},
      createdAt: '',
      updatedAt: '',
    },
    spec,
    status: {},
  }) as unknown as Resource;
const clerk = draftOf(stored('Agent', 'clerk', { model_ref: 'echo', prompt: 'Be formal.', tools: ['mail'] }));
const far = draftOf(stored('Agent', 'far', { model_ref: 'echo', prompt: 'Wait.' }, 'lib'));
const system = { name: 'office', base: stored('AgentSystem', 'office', { agents: ['clerk', 'lib/far'] }) };
const edit = (draft: DraftObject, field: string, value: unknown) => withField(draft, ['spec', field], value);
const planOf = (drafts: readonly DraftObject[], edited?: typeof system) =>
  draftVariants({ namespace: 'default', drafts: drafts.reduce(withDraft, NO_DRAFTS), system: edited });

test('nothing drafted makes no variant', () => {
  expect(planOf([])).toEqual({ drafted: undefined, before: undefined, unstored: [] });
});

test('edited prompts and models become overrides, named as the system names its agents', () => {
  const plan = planOf([
    edit(edit(clerk, 'prompt', 'Be brief.'), 'model_ref', 'small'),
    edit(edit(far, 'prompt', undefined), 'model_ref', 'own'),
  ]);
  expect(plan.unstored).toEqual([]);
  expect(plan.drafted).toEqual({
    words: 'Drafts: prompt of clerk, prompt of lib/far, model of clerk, model of lib/far',
    overrides: { prompt: { clerk: 'Be brief.', 'lib/far': '' }, model: { clerk: 'small', 'lib/far': 'own' } },
  });
  expect(plan.before?.versions).toEqual([
    { kind: 'Agent', name: 'clerk', generation: 4 },
    { kind: 'Agent', name: 'lib/far', generation: 4 },
  ]);
});

test.each([
  ['other tools', edit(clerk, 'tools', ['mail', 'shell']), ['Agent clerk']],
  ['limits', edit(clerk, 'limits', { max_steps: 3 }), ['Agent clerk']],
  ['a new agent', newDraft({ kind: 'Agent', namespace: 'default', name: 'fresh' }, { model_ref: 'echo' }), ['Agent fresh']],
  ['a tool', newDraft({ kind: 'Tool', namespace: 'default', name: 'mail' }, { type: 'cli' }), ['Tool mail']],
])('%s cannot run as a draft', (_, draft, unstored) => {
  const plan = planOf([draft]);
  expect(plan).toMatchObject({ drafted: undefined, unstored });
});

test('a model that is drafted too, and an edited system, must be stored first', () => {
  const model = newDraft({ kind: 'ModelEndpoint', namespace: 'default', name: 'small' }, { provider: 'mock' });
  const plan = planOf([edit(clerk, 'model_ref', 'small'), model], system);
  expect(plan.unstored).toEqual(['ModelEndpoint small', 'Agent clerk', 'the system']);
  expect(plan.drafted).toBeUndefined();
  expect(plan.before).toEqual({
    words: 'version 4 of clerk, version 4 of office',
    versions: [
      { kind: 'Agent', name: 'clerk', generation: 4 },
      { kind: 'AgentSystem', name: 'office', generation: 4 },
    ],
  });
});
