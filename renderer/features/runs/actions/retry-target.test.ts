// Tasks of retries with another namespace or version.
import { expect, test } from 'vitest';
import { objectOf } from '../../../testing/fake-objects.ts';
import { asRun } from '../model/run.ts';
import { staysReason, targetOf, taskElsewhere } from './retry-target.ts';

const NOW = new Date('2026-05-05T11:00:00.000Z');
const runOf = (spec: object) =>
  asRun(objectOf('Task', 'refunds', { labels: { team: 'a', 'svc.dev/case': 'x' }, spec: { system: 'desk', priority: 'high', ...spec } }));
const specOf = (spec: object, target: Partial<ReturnType<typeof targetOf>>) => {
  const run = runOf(spec);
  return taskElsewhere(run, { ...targetOf(run), ...target, input: { a: '1' } }, NOW);
};

test('a retry at its own target creates no Task here', () => {
  expect(specOf({}, {})).toBeUndefined();
  expect(specOf({ trial: { versions: [{ kind: 'AgentSystem', name: 'ops/desk', generation: 3 }] } }, {})).toBeUndefined();
});

test('another namespace keeps the spec and the labels of people', () => {
  expect(specOf({}, { namespace: 'staging' })).toMatchObject({
    metadata: { name: 'desk-260505110000-000', namespace: 'staging', labels: { team: 'a' } },
    spec: { system: 'desk', priority: 'high', input: { a: '1' } },
  });
  expect(specOf({}, { namespace: 'staging' })?.metadata.labels).toEqual({ team: 'a' });
  expect(specOf({}, { namespace: 'staging' })?.spec).not.toHaveProperty('trial');
});

test('an earlier version makes a trial, and the current one ends it', () => {
  const versions = [{ kind: 'AgentSystem', name: 'desk', generation: 2 }];
  expect(specOf({}, { generation: 2 })?.spec).toMatchObject({ trial: { versions } });
  expect(specOf({ trial: { versions, wait: '24h' } }, { generation: 0 })?.spec).not.toHaveProperty('trial');
  const agent = { kind: 'Agent', name: 'writer', generation: 1 };
  expect(specOf({ trial: { versions: [agent, ...versions] } }, { generation: 0 })?.spec).toMatchObject({ trial: { versions: [agent] } });
});

test('a trial that reuses runs stays in their namespace', () => {
  expect(staysReason(runOf({}))).toBeUndefined();
  expect(staysReason(runOf({ trial: { from: { node: 'writer', task: 'earlier' } } }))).toBe(
    'A trial that reuses runs stays in their namespace.',
  );
});
