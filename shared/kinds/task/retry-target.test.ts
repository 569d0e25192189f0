// Trials and targets of retries.
import { expect, test } from 'vitest';
import { marksElsewhere, staysReason, targetOf, trialWith } from './retry-target.ts';
import type { TrialSpec } from './schema.ts';

const runOf = (trial?: object) => ({ namespace: 'ops', spec: { system: 'desk', trial: trial as TrialSpec | undefined } });

test('a run of an earlier version has that version as its target', () => {
  expect(targetOf(runOf())).toEqual({ namespace: 'ops', generation: 0 });
  expect(targetOf(runOf({ versions: [{ kind: 'AgentSystem', name: 'ops/desk', generation: 3 }] }))).toEqual({
    namespace: 'ops',
    generation: 3,
  });
});

test('an earlier version makes a trial, and the current one ends it', () => {
  const versions = [{ kind: 'AgentSystem', name: 'desk', generation: 2 }];
  expect(trialWith(runOf(), 2)).toEqual({ versions });
  expect(trialWith(runOf({ versions, wait: '24h' }), 0)).toBeUndefined();
  const agent = { kind: 'Agent', name: 'writer', generation: 1 };
  expect(trialWith(runOf({ versions: [agent, ...versions] }), 0)).toEqual({ versions: [agent] });
});

test('a trial that reuses runs or versions stays in its namespace', () => {
  expect(staysReason(runOf().spec)).toBeUndefined();
  expect(staysReason(runOf({ from: { node: 'writer', task: 'earlier' } }).spec)).toBe('A trial that reuses runs stays in their namespace.');
  expect(staysReason(runOf({ versions: [{ kind: 'Agent', name: 'a', generation: 1 }] }).spec)).toBe(
    'A trial of earlier versions stays in its namespace.',
  );
});

test('marks of the service stay behind', () => {
  expect(marksElsewhere({ team: 'a', 'svc.dev/case': 'x' })).toEqual({ team: 'a' });
});
