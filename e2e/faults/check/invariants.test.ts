// Sound evidence passes, and each kind of corruption is found by its invariant: a checker that finds nothing proves nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Change, JournalEntry, StoredObject } from '../../../server/store/store.ts';
import { expectedOutput, type TaskPlan } from '../world/play.ts';
import type { LedgerCall } from '../world/ledger.ts';
import type { Evidence } from './evidence.ts';
import { checkInvariants } from './invariants.ts';

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const iso = (ms: number) => new Date(T0 + ms).toISOString();
const plan: TaskPlan = { name: 't-1', system: 'chain', flaky: false, input: { task: 't-1', payload: '1', flaky: 'false', about: 'tides' } };
const UID = 'uid-1';

const entry = (seq: number, ms: number, type: string, data: object): JournalEntry => ({ seq, timestamp: iso(ms), type, data: { ...data } });

/** Claimed by w1, whose call got no result; taken over by w2, which repeated the call and ended the run. */
const journal: readonly JournalEntry[] = [
  entry(1, 10, 'run.claimed', { worker: 'w1', fence: 1, takeover: false }),
  entry(2, 10, 'run.started', { attempt: 1 }),
  entry(3, 10, 'agent.started', { worker: 'w1' }),
  entry(4, 10, 'model.requested', { request_id: 'r1' }),
  entry(5, 2_500, 'run.claimed', { worker: 'w2', fence: 2, takeover: true }),
  entry(6, 2_540, 'model.completed', { request_id: 'r1', model: 'ledger-2' }),
  entry(7, 2_540, 'tool.requested', { request_id: 'r2' }),
  entry(8, 2_560, 'tool.completed', { request_id: 'r2', output: '{"value":"x","call":3}' }),
  entry(9, 2_560, 'run.completed', {}),
];

const call = (number: number, requestId: string, arrived: number, answered: number): LedgerCall => ({
  number,
  kind: requestId === 'r1' ? 'model' : 'tool',
  requestId,
  task: plan.name,
  agent: 'plan',
  arrivedAt: T0 + arrived,
  answeredAt: T0 + answered,
  delivered: true,
});
const calls = [call(1, 'r1', 15, 900), call(2, 'r1', 2_510, 2_530), call(3, 'r2', 2_545, 2_555)];

const status = { phase: 'Succeeded', attempts: 1, output: { last_output: expectedOutput(plan) } };
const task: StoredObject = {
  kind: 'Task',
  namespace: 'default',
  name: plan.name,
  uid: UID,
  resourceVersion: 2,
  generation: 1,
  labels: {},
  annotations: {},
  createdAt: iso(0),
  updatedAt: iso(0),
  spec: { system: plan.system, input: plan.input },
  status,
};

const key = { kind: 'Task', namespace: 'default', name: plan.name };
const changeOf = (seq: number, rest: Omit<Change, 'seq' | 'timestamp' | keyof typeof key>): Change => ({
  seq,
  timestamp: iso(seq),
  ...key,
  ...rest,
});
const fact = { type: 'task.succeeded', source: 'engine', action: 'succeeded', message: '' };
const claimedBy = (worker: string) => ({ type: 'task.claimed', source: 'engine', action: 'claimed', message: '', data: { worker } });
const releasedBy = (worker: string) => ({ ...claimedBy(worker), type: 'task.released' });
const changes: readonly Change[] = [
  changeOf(1, { type: 'created', resourceVersion: 1, object: { ...task, resourceVersion: 1, status: { phase: 'Pending' } } }),
  changeOf(2, { type: 'updated', resourceVersion: 2, object: task }),
  changeOf(3, { type: 'fact', resourceVersion: 2, fact }),
];

const eventItems = [
  { seq: 1, data: { type: 'resource.created', kind: 'Task', name: plan.name } },
  { seq: 2, data: { type: 'resource.updated', kind: 'Task', name: plan.name } },
  { seq: 3, data: { type: 'task.succeeded', kind: 'Task', name: plan.name } },
];
const taskItems = [
  { seq: 1, data: { type: 'created', name: plan.name, resourceVersion: '1' } },
  { seq: 2, data: { type: 'updated', name: plan.name, resourceVersion: '2' } },
];

const sound: Evidence = {
  tasks: [task],
  journals: new Map([[UID, journal]]),
  changes,
  workLeft: 0,
  acknowledged: new Map([[plan.name, { plan, at: T0 }]]),
  sent: new Map([[plan.name, plan]]),
  calls,
  events: { items: eventItems, surprises: [], mustReach: 3 },
  taskWatch: { items: taskItems, surprises: [], mustReach: 2 },
  standstills: [],
};

const withJournal = (change: (entries: JournalEntry[]) => JournalEntry[]): Partial<Evidence> => ({
  journals: new Map([[UID, change([...journal])]]),
});
const replaced = (seq: number, changed: Partial<JournalEntry>) =>
  withJournal((entries) => entries.map((each) => (each.seq === seq ? { ...each, ...changed } : each)));
const broken = (spoilt: Partial<Evidence>) => [...new Set(checkInvariants({ ...sound, ...spoilt }).map(({ invariant }) => invariant))];

test('sound evidence violates no invariant', () => {
  expect(checkInvariants(sound)).toEqual([]);
});

describe('finds corrupted evidence', () => {
  const cases: readonly (readonly [string, Partial<Evidence>, string])[] = [
    ['nothing happened', { calls: [] }, 'tasks were created and made calls'],
    ['an acknowledged task is missing', { tasks: [] }, 'an acknowledged task exists with its content'],
    [
      'its content is another',
      { tasks: [{ ...task, spec: { system: 'join', input: plan.input } }] },
      'an acknowledged task exists with its content',
    ],
    [
      'its input is in another order',
      { tasks: [{ ...task, spec: { system: plan.system, input: { about: 'tides', task: 't-1', payload: '1', flaky: 'false' } } }] },
      'an acknowledged task exists with its content',
    ],
    ['a task nobody sent', { sent: new Map(), acknowledged: new Map() }, 'an acknowledged task exists with its content'],
    ['a task is still running', { tasks: [{ ...task, status: { phase: 'Running', attempts: 1 } }] }, 'every task ends'],
    ['too many attempts', { tasks: [{ ...task, status: { ...status, attempts: 3 } }] }, 'no task has more attempts than its maximum'],
    [
      'a wrong output',
      { tasks: [{ ...task, status: { ...status, output: { last_output: 'no' } } }] },
      'the outcome of every task follows from its input',
    ],
    ['work is left', { workLeft: 1 }, 'the work queue is empty at the end'],
    [
      'a second fact of its end',
      { changes: [...changes, changeOf(4, { type: 'fact', resourceVersion: 2, fact })] },
      'a task ends once and is then never written again',
    ],
    [
      'a write after its end',
      { changes: [...changes, changeOf(4, { type: 'updated', resourceVersion: 3, object: task })] },
      'a task ends once and is then never written again',
    ],
    ['a gap in the journal', withJournal((entries) => entries.filter(({ seq }) => seq !== 3)), 'a journal has no gaps'],
    ['a fence that falls', replaced(5, { data: { worker: 'w2', fence: 1, takeover: true } }), 'only the holder of the fence writes'],
    ['an entry of the old holder', replaced(9, { type: 'run.released', data: { worker: 'w1' } }), 'only the holder of the fence writes'],
    [
      'a fact of the old holder',
      {
        changes: [
          ...changes,
          changeOf(4, { type: 'fact', resourceVersion: 2, fact: claimedBy('w2') }),
          changeOf(5, { type: 'fact', resourceVersion: 2, fact: releasedBy('w1') }),
        ],
      },
      'only the holder of the fence states facts of a run',
    ],
    [
      'an end of the old holder',
      { changes: [...changes, changeOf(4, { type: 'fact', resourceVersion: 2, fact: { ...claimedBy('w1'), type: 'task.failed' } })] },
      'only the holder of the fence states facts of a run',
    ],
    ['no end', replaced(9, { type: 'agent.completed' }), 'a run ends once, with its last entry'],
    [
      'an entry after the end',
      withJournal((entries) => [...entries, entry(10, 2_600, 'agent.completed', {})]),
      'a run ends once, with its last entry',
    ],
    [
      'a second result',
      withJournal((entries) => [
        ...entries.slice(0, 8),
        entry(9, 2_561, 'tool.failed', { request_id: 'r2' }),
        entry(10, 2_562, 'run.completed', {}),
      ]),
      'a call has at most one recorded result',
    ],
    ['a call without an entry', { calls: [...calls, call(4, 'r9', 2_550, 2_551)] }, 'a call is recorded before it is made'],
    ['a call before its entry', { calls: [...calls.slice(0, 2), call(3, 'r2', 2_539, 2_555)] }, 'a call is recorded before it is made'],
    ['a call of no task', { calls: [...calls, { ...call(4, 'r9', 1, 2), task: '?' }] }, 'a call is recorded before it is made'],
    ['a repeated recorded call', { calls: [...calls, call(4, 'r2', 2_600, 2_601)] }, 'a recorded call is never repeated'],
    [
      "the old holder's result",
      replaced(6, { data: { request_id: 'r1', model: 'ledger-1' } }),
      'a recorded result comes from a call of the holder',
    ],
    [
      'a result nobody gave',
      replaced(6, { data: { request_id: 'r1', model: 'ledger-9' } }),
      'a recorded result comes from a call of the holder',
    ],
    ['a call made twice by one holder', { calls: [...calls, call(4, 'r1', 2_511, 2_531)] }, 'a call is made at most once under each claim'],
    ['a gap in the change log', { changes: changes.slice(1) }, 'the change log has no gaps'],
    ['an event lost', { events: { ...sound.events, items: eventItems.slice(1) } }, 'a watch of events loses nothing and repeats nothing'],
    [
      'the last event lost',
      { events: { ...sound.events, items: eventItems.slice(0, 2) } },
      'a watch of events loses nothing and repeats nothing',
    ],
    [
      'an event twice',
      { events: { ...sound.events, items: [...eventItems, eventItems[2]!] } },
      'a watch of events loses nothing and repeats nothing',
    ],
    [
      'a resync',
      { taskWatch: { ...sound.taskWatch, surprises: ['resync after 1'] } },
      'a watch of tasks loses nothing and repeats nothing',
    ],
    [
      'another version',
      {
        taskWatch: {
          ...sound.taskWatch,
          items: [taskItems[0]!, { seq: 2, data: { type: 'updated', name: plan.name, resourceVersion: '3' } }],
        },
      },
      'a watch of tasks loses nothing and repeats nothing',
    ],
  ];
  test.each(cases)('%s', (_, spoilt, invariant) => {
    expect(broken(spoilt)).toContain(invariant);
  });

  test('docs/faults.md lists these invariants under the names that a failure prints', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/faults.md'), 'utf8');
    const [, table = ''] = page.split('| Invariant ');
    const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (?!-)(.+?) +\|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...new Set(cases.map(([, , invariant]) => invariant))].sort());
  });
});

test('a claim that ends its run at once needs no fact of its own', () => {
  const facts = [claimedBy('w1'), releasedBy('w1'), { ...claimedBy('w2'), type: 'task.succeeded' }];
  const stated = facts.map((each, index) => changeOf(4 + index, { type: 'fact', resourceVersion: 2, fact: each }));
  expect(broken({ changes: [...changes, ...stated] })).not.toContain('only the holder of the fence states facts of a run');
});

test('a call that was aborted with its attempt may arrive afterwards', () => {
  const late = [...calls.slice(0, 2), call(3, 'r2', 2_561, 2_570)];
  const result = (data: JournalEntry['data']) => replaced(8, { type: 'tool.failed', data: { request_id: 'r2', ...data } });
  expect(broken({ calls: late, ...result({ code: 'canceled', reason: 'unknown_outcome' }) })).toEqual([]);
  expect(broken({ calls: late, ...result({ code: 'timeout' }) })).toEqual(['a recorded call is never repeated']);
});

test('a late call is excused only for a worker that woke from a standstill', () => {
  const late = { calls: [...calls, call(4, 'r2', 2_600, 2_601)] };
  const excused = broken({ ...late, standstills: [{ worker: 'w1', from: T0, until: T0 + 2_590 }] });
  expect(excused).not.toContain('a recorded call is never repeated');
  expect(broken({ ...late, standstills: [{ worker: 'w1', from: T0, until: T0 + 2_000 }] })).toContain('a recorded call is never repeated');
});
