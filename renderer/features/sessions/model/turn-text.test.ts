// Words about turns.
import type { SessionEvent, SessionEventType } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';
import { expect, test } from 'vitest';
import { announcementOf, turnState } from './turn-text.ts';

type Step = readonly [type: SessionEventType, payload?: Readonly<Record<string, unknown>>];

function after(...steps: readonly Step[]) {
  const conversation = new Conversation();
  const events = steps.map(([type, payload = {}], index): SessionEvent => ({
    seq: index + 1,
    type,
    session_name: 's',
    namespace: 'default',
    turn_id: 'a',
    timestamp: '2026-01-01T00:00:00.000Z',
    payload,
  }));
  for (const event of events) conversation.apply(event);
  return { conversation, turn: conversation.turn('a'), last: events.at(-1) };
}

const begun: readonly Step[] = [['message.created', { content: 'x' }], ['turn.queued'], ['turn.started']];

test.each<[string, readonly Step[], number]>([
  ['Waiting for a worker', begun.slice(0, 2), 0],
  ['Queued, next', begun.slice(0, 2), 1],
  ['Queued, 3 before it', begun.slice(0, 2), 3],
  ['Thinking', begun, 0],
  ['Writing', [...begun, ['message.delta', { delta: 'a' }]], 0],
  ['Running find', [...begun, ['tool.started', { tool: 'find', request_id: '1' }]], 0],
  ['Waiting for approval', [...begun, ['approval.requested', { kind: 'ToolApproval', name: 'n' }]], 0],
  ['Retrying', [...begun, ['turn.retrying', { reason: 'lost' }]], 0],
  ['Paused', [...begun, ['session.paused']], 0],
])('a turn shows "%s"', (label, steps, ahead) => {
  const { turn } = after(...steps);
  expect(turn && turnState(turn, { ahead, held: false })?.label).toBe(label);
});

test.each<[string, number]>([
  ['Held until the Session is resumed', 0],
  ['Queued, next', 1],
])('a turn of a paused Session that has not begun shows "%s"', (label, ahead) => {
  const { turn } = after(...begun.slice(0, 2));
  expect(turn && turnState(turn, { ahead, held: true })).toEqual({ label, look: 'paused' });
});

test('a turn that is over has no state', () => {
  const { turn } = after(...begun, ['turn.completed']);
  expect(turn && turnState(turn, { ahead: 0, held: false })).toBeUndefined();
});

test.each<[SessionEventType, string | undefined, Record<string, unknown>?]>([
  ['message.delta', undefined],
  ['tool.started', undefined],
  ['turn.completed', 'writer has answered'],
  ['approval.requested', 'An approval is needed'],
  ['approval.resolved', 'The approval was denied', { decision: 'denied' }],
  ['approval.resolved', 'Changes were requested', { decision: 'request_changes' }],
])('%s announces %s', (type, sentence, payload = {}) => {
  const { conversation, last } = after(...begun, ['message.delta', { delta: 'a', agent: 'writer' }], [type, payload]);
  expect(last && announcementOf(last, conversation)).toBe(sentence);
});
