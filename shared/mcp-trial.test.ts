// Documents of a trial: valid for their kinds, and with exactly the given input.
import { kindByName } from './kinds/index.ts';
import { expect, test } from 'vitest';
import { trialDocuments, trialName, trialObjects } from './mcp-trial.ts';

const TRIAL = { name: 'try-1', namespace: 'ops', server: 'notes', tool: 'notes--add', input: { a: '{{x}}', b: [1] }, roles: ['clerk'] };

test('a trial is a run of a system whose scripted model calls the tool with the given input', () => {
  const [model, agent, system, task] = trialDocuments(TRIAL) as { kind: string; metadata: object; spec: Record<string, unknown> }[];
  const { script } = model?.spec['options'] as { script: string };
  expect(JSON.parse(script)).toEqual([{ tool: 'notes--add', input: { a: '{{x}}', b: [1] } }, { text: '{{result}}' }]);
  expect(agent?.spec).toMatchObject({ model_ref: 'try-1', tools: ['notes--add'], roles: ['clerk'] });
  expect(system?.spec).toEqual({ agents: ['try-1'], graph: { 'try-1': {} } });
  expect(task?.spec).toMatchObject({ system: 'try-1' });
});

test('all objects of a trial carry its label and are removed with it', () => {
  const documents = trialDocuments(TRIAL) as { kind: string; metadata: object }[];
  for (const { metadata } of documents)
    expect(metadata).toMatchObject({ name: 'try-1', namespace: 'ops', labels: { 'svc.dev/mcp-trial': 'notes' } });
  expect(
    trialObjects(TRIAL)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(documents.map(({ kind }) => kind).sort());
});

test('every document fits the schema of its kind', () => {
  for (const document of trialDocuments(TRIAL) as { kind: string; spec: unknown }[]) {
    expect(kindByName(document.kind)?.spec.safeParse(document.spec).error).toBeUndefined();
  }
});

test('names of trials sort by time', () => {
  expect(trialName(new Date('2026-11-23T22:33:44.123Z'))).toBe('try-261123223344123');
});
