// Texts that the fold adds to transcripts. Checkpoints store hashes of states with them: a reworded one makes those of earlier versions unusable.
import { expect, test } from 'vitest';
import { modelError, modelOutput } from './approval-state.ts';
import { userMessage } from './input.ts';
import { sendBackMessage } from './review-messages.ts';
import type { CallState } from './state.ts';

test.each([
  [
    { checkpoint_type: 'agent_output', comment: 'shorter' },
    'A person has reviewed your last answer and asks for changes:\n\nshorter\n\nGive the whole answer anew with these changes in it. It replaces the old one, so refer to nothing that stood there.',
  ],
  [
    { checkpoint_type: 'task_output', comment: ' ' },
    'A person has reviewed your last answer as the final output of the task and asks for changes:\n\nThe reviewer gave no comment.\n\nGive the whole answer anew with these changes in it. It replaces the old one, so refer to nothing that stood there.',
  ],
] as const)('the message for work that is sent back keeps its text: %j', (resolved, text) => {
  expect(sendBackMessage(resolved)).toBe(text);
});

test('the first message of a turn keeps its text', () => {
  const turn = { agent: {} as never, task: { input: {} }, inbox: [], failedSources: [] };
  expect(userMessage(turn)).toBe('The task has no input.');
  const failure = { code: 'timeout', message: 'too slow', retryable: true };
  expect(
    userMessage({
      ...turn,
      task: { input: { topic: 'tides', lines: 'a\nb' } },
      inbox: [{ from: 'planner', content: 'a plan' }],
      failedSources: [{ agent: 'reader', failure }],
    }),
  ).toBe('# Task input\ntopic: tides\nlines:\na\nb\n\n# From planner\na plan\n\n# reader failed\ntimeout: too slow');
});

test('results of a call with an edited input keep their texts', () => {
  const call = { proposed: { n: 0 }, input: { n: 1 } } as unknown as CallState;
  expect(modelOutput(call, 'done')).toBe('A reviewer changed the input of this call before it ran. The input that ran: {"n":1}\n\ndone');
  expect(modelError(call, { code: 'timeout', message: 'too slow', retryable: true })).toBe(
    '{"error":{"code":"timeout","message":"too slow","retryable":true},"note":"A reviewer changed the input of this call before it ran.","input_that_ran":{"n":1}}',
  );
});
