import { Conversation } from '@svc/shared/sessions/conversation';
import type { SessionEventType } from '@svc/shared/api/sessions';
import { expect, test } from 'vitest';
import { objectOf } from '../../../testing/fake-objects.ts';
import type { Session } from './session.ts';
import { transcriptText } from './transcript.ts';

const session = objectOf('Session', 'desk', { spec: { system: 'helpers' }, status: { phase: 'WaitingInput' } }) as unknown as Session;

function conversationOf(told: readonly (readonly [SessionEventType, object?])[]): Conversation {
  const conversation = new Conversation();
  for (const [index, [type, payload = {}]] of told.entries())
    conversation.apply({
      ...{ seq: index + 1, type, session_name: 'desk', namespace: 'ops', turn_id: 'turn-1', payload: { ...payload } },
      timestamp: `2026-01-01T00:00:0${index}.000Z`,
    });
  return conversation;
}

test('holds the messages, calls and answers of a Session', () => {
  const conversation = conversationOf([
    ['message.created', { role: 'user', content: 'Pay the invoice\n# Not a heading' }],
    ['turn.queued', { queue_sequence: 1 }],
    ['turn.started', { worker: 'w', task: 'session-desk-1' }],
    ['tool.started', { request_id: 'r1', tool: 'pay', input: { sum: 3 } }],
    ['tool.completed', { request_id: 'r1', tool: 'pay', output: 'paid' }],
    ['message.completed', { content: 'Done.' }],
    ['turn.completed', {}],
  ]);
  expect(transcriptText(session, conversation)).toBe(`# Session ops/desk

System: helpers

State: WaitingInput

## Turn 1, 2026-01-01T00:00:00.000Z, Succeeded

**Message**

> Pay the invoice
> # Not a heading

**Tool call**

> pay {"sum":3}

Result

> paid

**Answer**

> Done.
`);
});
