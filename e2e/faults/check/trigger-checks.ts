// Invariants of triggers: each event and each slot has exactly one run, counters equal the deliveries, and nothing stays active.
import type { StoredObject } from '../../../server/store/store.ts';
import type { TriggerReport } from '../world/triggers.ts';
import type { Violation } from './evidence.ts';

export interface TriggerEvidence extends TriggerReport {
  readonly tasks: readonly StoredObject[];
}

type Check = readonly [invariant: string, find: (evidence: TriggerEvidence) => string[]];

const MINUTE_MS = 60_000;
const EVENT_LABEL = 'svc.dev/webhook-event-id';
const SCHEDULE_LABEL = 'svc.dev/task-schedule';
const SLOT_LABEL = 'svc.dev/task-schedule-slot';

const named = ({ namespace, name }: StoredObject) => `${namespace}/${name}`;
const runsOf = (tasks: readonly StoredObject[], label: string, value: string) => tasks.filter(({ labels }) => labels[label] === value);
const outside = (value: unknown, [low, high]: readonly [number, number]) =>
  typeof value === 'number' && value >= low && value <= high ? [] : [`is ${String(value)}, expected ${low} to ${high}`];

const CHECKS: readonly Check[] = [
  ['a genuine delivery is accepted and a forged one refused', ({ surprises }) => [...surprises]],
  [
    'an event that was answered with 2xx has exactly one run',
    ({ answers, tasks }) =>
      [...new Set(answers.map(({ eventId }) => eventId))].flatMap((eventId) => {
        const runs = runsOf(tasks, EVENT_LABEL, eventId).map(named);
        const told = answers.filter((answer) => answer.eventId === eventId && answer.task !== runs[0]);
        return [
          ...(runs.length === 1 ? [] : [`${eventId} has ${runs.length} runs: ${runs.join(', ')}`]),
          ...told.map(({ task }) => `${eventId} was answered with ${task}, its run is ${String(runs[0])}`),
        ];
      }),
  ],
  [
    'an event is reported as new at most once',
    ({ answers, events }) =>
      events.filter((eventId) => answers.filter((answer) => answer.eventId === eventId && !answer.duplicate).length > 1),
  ],
  [
    'a run of a webhook comes from an event that was sent',
    ({ events, tasks }) =>
      tasks.flatMap((task) => {
        const eventId = task.labels[EVENT_LABEL];
        return eventId === undefined || events.includes(eventId) ? [] : [`${named(task)} is the run of ${eventId}`];
      }),
  ],
  [
    'counters of a webhook equal its deliveries',
    ({ webhook, events, answers, deliveries, forgeries }) => [
      ...outside(webhook['acceptedCount'], [events.length, events.length]).map((text) => `acceptedCount ${text}`),
      // Deliveries whose connection broke may have been counted.
      ...outside(webhook['duplicateCount'], [answers.filter(({ duplicate }) => duplicate).length, deliveries - events.length]).map(
        (text) => `duplicateCount ${text}`,
      ),
      // Refusals are counted in memory for a second, which a killed server loses.
      ...outside(webhook['rejectedCount'], [0, forgeries]).map((text) => `rejectedCount ${text}`),
    ],
  ],
  ['each slot of a schedule has exactly one run', slotProblems],
  [
    'a schedule has no active run after the end',
    ({ schedules }) =>
      [...schedules].flatMap(([name, { activeRuns, lastError }]) => [
        ...(JSON.stringify(activeRuns) === '[]' ? [] : [`${name} has ${JSON.stringify(activeRuns)}`]),
        ...(lastError === undefined ? [] : [`${name} reports ${JSON.stringify(lastError)}`]),
      ]),
  ],
];

function slotProblems({ schedules, tasks, armed, disarmed }: TriggerEvidence): string[] {
  const minutes = (from: number, until: number): string[] => {
    const first = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
    const count = Math.max(0, Math.floor((until - first) / MINUTE_MS) + 1);
    return Array.from({ length: count }, (_, index) => new Date(first + index * MINUTE_MS).toISOString().replace('.000Z', 'Z'));
  };
  const certain = minutes(armed.until, disarmed.from);
  const possible = new Set(minutes(armed.from, disarmed.until));
  if (certain.length === 0) return ['no slot came while the schedules were active, so nothing was shown'];
  return [...schedules.keys()].flatMap((name) => {
    const slots = runsOf(tasks, SCHEDULE_LABEL, name).map(({ labels }) => String(labels[SLOT_LABEL]));
    return [
      ...certain.filter((slot) => !slots.includes(slot)).map((slot) => `${name} has no run of ${slot}`),
      ...slots.filter((slot, at) => slots.indexOf(slot) !== at).map((slot) => `${name} has two runs of ${slot}`),
      ...slots.filter((slot) => !possible.has(slot)).map((slot) => `${name} has a run of ${slot}, which is no slot`),
    ];
  });
}

export function checkTriggers(evidence: TriggerEvidence): Violation[] {
  return CHECKS.flatMap(([invariant, find]) => find(evidence).map((detail) => ({ invariant, detail })));
}
