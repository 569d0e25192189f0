// Sound conversations pass, and each kind of corruption is found by its invariant.
import { expect, test } from 'vitest';
import type { StreamEvent } from '../../../server/store/store.ts';
import { checkSessions, type SessionEvidence } from './session-checks.ts';

type EventRow = readonly [type: string, turn: string | undefined, payload?: object];

const SOUND: readonly EventRow[] = [
  ['session.created', undefined],
  ['message.created', 't1', { content: 'one' }],
  ['turn.started', 't1', { fence: 1 }],
  ['message.delta', 't1', { delta: 'wro' }],
  ['message.reset', 't1', { reason: 'recovered' }],
  ['turn.started', 't1', { fence: 2 }],
  ['tool.completed', 't1', { request_id: 'r1' }],
  ['message.delta', 't1', { delta: 'right' }],
  ['message.completed', 't1', { content: 'right' }],
  ['turn.completed', 't1'],
  ['message.created', 't2', { content: 'two' }],
  ['turn.started', 't2', { fence: 3 }],
  ['message.delta', 't2', { delta: 'yes' }],
  ['message.completed', 't2', { content: 'yes' }],
  ['turn.completed', 't2'],
];

function evidence(told: readonly EventRow[], fields: Partial<SessionEvidence> = {}): SessionEvidence {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const events = told.map(([type, turn, payload = {}], index): StreamEvent => ({
    seq: index + 1,
    type,
    timestamp,
    data: { turn_id: turn, payload },
  }));
  const seen = events.map(({ seq, type }) => ({ seq, data: { type } }));
  return { session: 's', contents: ['one', 'two'], surprises: [], events, seen, ...fields };
}

const without = (index: number) => SOUND.filter((_, at) => at !== index);
const replaced = (index: number, told: EventRow) => SOUND.map((each, at) => (at === index ? told : each));
const found = (sessions: SessionEvidence) => [...new Set(checkSessions([sessions]).map(({ invariant }) => invariant))];

test('a sound conversation violates nothing', () => {
  expect(checkSessions([evidence(SOUND)])).toEqual([]);
});

test('a gap in the events is found', () => {
  const { events } = evidence(SOUND);
  expect(found(evidence(SOUND, { events: events.filter(({ seq }) => seq !== 4) }))).toContain('events of a Session have no gaps');
});

test.each([
  ['a turn that starts before the one before it has ended', without(9), 'a Session runs one turn at a time'],
  ['a content that is recorded twice', [...SOUND, SOUND[1]!], 'each content of a Session is recorded and answered once, in its order'],
  ['a turn that is completed twice', [...SOUND, SOUND[9]!], 'each content of a Session is recorded and answered once, in its order'],
  ['an answer that differs from its deltas', without(4), 'an answer equals its deltas since the last reset'],
  ['a fence that falls', replaced(11, ['turn.started', 't2', { fence: 2 }]), 'fences of a Session grow'],
  ['a tool call that is recorded twice', [...SOUND, SOUND[6]!], 'a tool call of a Session is shown once'],
])('%s is found', (_, told, invariant) => {
  expect(found(evidence(told))).toContain(invariant);
});

test('a reader that lost an event is found', () => {
  const { seen } = evidence(SOUND);
  expect(found(evidence(SOUND, { seen: seen.slice(1) }))).toEqual(['a reader of a Session sees every event once']);
});
