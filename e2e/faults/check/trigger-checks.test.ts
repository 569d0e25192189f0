// Sound evidence of triggers passes, and each kind of corruption is found by its invariant.
import { expect, test } from 'vitest';
import type { StoredObject } from '../../../server/store/store.ts';
import { runOfEvent } from '../world/triggers.ts';
import { checkTriggers, type TriggerEvidence } from './trigger-checks.ts';

const task = (name: string, labels: Readonly<Record<string, string>>) =>
  ({ namespace: 'default', name, labels }) as unknown as StoredObject;
const ofEvent = (eventId: string, name = runOfEvent(eventId)) => task(name, { 'svc.dev/webhook-event-id': eventId });
const ofSlot = (slot: string, name = `minutely-1-${slot}`) =>
  task(name, { 'svc.dev/task-schedule': 'minutely-1', 'svc.dev/task-schedule-slot': slot });
const answer = (eventId: string, duplicate: boolean) => ({ eventId, task: `default/${runOfEvent(eventId)}`, duplicate });
const span = (from: string, until: string) => ({ from: Date.parse(from), until: Date.parse(until) });

const SOUND: TriggerEvidence = {
  events: ['e1', 'e2'],
  answers: [answer('e1', false), answer('e1', true), answer('e2', true)],
  deliveries: 5,
  forgeries: 2,
  surprises: [],
  webhook: { acceptedCount: 2, duplicateCount: 2, rejectedCount: 1 },
  schedules: new Map([['minutely-1', { activeRuns: [] }]]),
  armed: span('2026-01-01T00:00:10Z', '2026-01-01T00:00:11Z'),
  disarmed: span('2026-01-01T00:02:30Z', '2026-01-01T00:02:31Z'),
  tasks: [ofEvent('e1'), ofEvent('e2'), ofSlot('2026-01-01T00:01:00Z'), ofSlot('2026-01-01T00:02:00Z')],
};

const found = (change: Partial<TriggerEvidence>) => [...new Set(checkTriggers({ ...SOUND, ...change }).map(({ invariant }) => invariant))];

test('sound evidence of triggers violates nothing', () => {
  expect(checkTriggers(SOUND)).toEqual([]);
});

const ONE_RUN = 'an event that was answered with 2xx has exactly one run';
const COUNTERS = 'counters of a webhook equal its deliveries';
const SLOTS = 'each slot of a schedule has exactly one run';

test.each<readonly [string, Partial<TriggerEvidence>, string]>([
  ['an event without a run', { tasks: SOUND.tasks.slice(1) }, ONE_RUN],
  ['an event with two runs', { tasks: [...SOUND.tasks, ofEvent('e1', `${runOfEvent('e1')}-2`)] }, ONE_RUN],
  ['an answer that names another run', { answers: [{ ...answer('e1', false), task: 'default/other' }, answer('e2', false)] }, ONE_RUN],
  ['an event that was new twice', { answers: [answer('e1', false), answer('e1', false)] }, 'an event is reported as new at most once'],
  ['a run without an event', { tasks: [...SOUND.tasks, ofEvent('e3')] }, 'a run of a webhook comes from an event that was sent'],
  ['a forged delivery that was accepted', { surprises: ['202'] }, 'a genuine delivery is accepted and a forged one refused'],
  ['an accepted delivery that was not counted', { webhook: { ...SOUND.webhook, acceptedCount: 1 } }, COUNTERS],
  ['a duplicate that was not counted', { webhook: { ...SOUND.webhook, duplicateCount: 1 } }, COUNTERS],
  ['a refusal that was counted twice', { webhook: { ...SOUND.webhook, rejectedCount: 3 } }, COUNTERS],
  ['a slot without a run', { tasks: SOUND.tasks.slice(0, 3) }, SLOTS],
  ['a slot with two runs', { tasks: [...SOUND.tasks, ofSlot('2026-01-01T00:02:00Z', 'again')] }, SLOTS],
  ['a run of a slot after the end', { tasks: [...SOUND.tasks, ofSlot('2026-01-01T00:03:00Z')] }, SLOTS],
  ['schedules without a slot', { disarmed: SOUND.armed, tasks: SOUND.tasks.slice(0, 2) }, SLOTS],
  [
    'a schedule with an active run after the end',
    { schedules: new Map([['minutely-1', { activeRuns: ['default/x'] }]]) },
    'a schedule has no active run after the end',
  ],
])('%s is found', (_, change, invariant) => {
  expect(found(change)).toEqual([invariant]);
});
