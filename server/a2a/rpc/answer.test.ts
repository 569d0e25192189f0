// Streams of the dialects, over a task service that only notes how a stream follows its task.
import { expect, test } from 'vitest';
import type { FollowTask } from '../tasks/task-service.ts';
import { answerRequest, type Answering } from './answer.ts';
import { findMethod } from './methods.ts';

const CASES = [
  ['tasks/sendSubscribe', { id: 't', message: { role: 'user', parts: [{ type: 'text', text: 'go' }] } }, undefined],
  ['message/stream', { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'go' }] } }, 7],
  ['SendStreamingMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } }, 7],
] as const;

test.each(CASES)('%s holds its first event only where a message may be the answer', async (name, params, eventsAfter) => {
  const followed: FollowTask[] = [];
  const sent = () => Promise.resolve({ record: {}, unchanged: false, eventsAfter: 7 });
  const follow = (_record: unknown, options: FollowTask) => {
    followed.push(options);
    return [];
  };
  const answering = { tasks: { send: sent, sendClientTask: sent, follow }, call: {} } as unknown as Answering;
  const answer = await answerRequest(answering, { id: 1, method: findMethod(name)!, params });
  if (answer.kind === 'stream') for await (const _item of answer.open(new AbortController().signal));
  expect(followed).toMatchObject([{ eventsAfter }]);
});
