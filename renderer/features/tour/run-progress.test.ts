import { expect, test } from 'vitest';
import type { Run } from '../runs/model/run.ts';
import type { RunApproval } from '../runs/model/run-approvals.ts';
import { marksOf, openOne, storyOf } from './run-progress.ts';

const run = (phase: string, status: object = {}) => ({ metadata: {}, spec: {}, status: { phase, ...status } }) as unknown as Run;
const approval = (kind: string, phase: string, createdAt = '2026-01-01T00:00:00Z') =>
  ({ kind, metadata: { createdAt }, spec: {}, status: { phase } }) as unknown as RunApproval;
const states = (...given: Parameters<typeof marksOf>) => marksOf(...given).map(({ state }) => state);

test('a run passes from the worker over two decisions to its end', () => {
  expect(states(run('Pending'), [])).toEqual(['now', 'later', 'later', 'later']);
  const paying = [approval('ToolApproval', 'Pending')];
  expect(states(run('WaitingApproval', { startedAt: 'x' }), paying)).toEqual(['done', 'now', 'later', 'later']);
  const reading = [approval('ToolApproval', 'Approved'), approval('TaskApproval', 'Pending')];
  expect(states(run('WaitingApproval', { startedAt: 'x' }), reading)).toEqual(['done', 'done', 'now', 'later']);
  const read = [approval('ToolApproval', 'Approved'), approval('TaskApproval', 'Approved')];
  expect(states(run('Succeeded', { startedAt: 'x' }), read)).toEqual(['done', 'done', 'done', 'done']);
});

test('a denied payment ends the run', () =>
  expect(states(run('Failed', { startedAt: 'x' }), [approval('ToolApproval', 'Denied')])).toEqual(['done', 'failed', 'later', 'failed']));

test('the newest review of a returned letter counts', () => {
  const approvals = [approval('TaskApproval', 'ChangesRequested'), approval('TaskApproval', 'Pending', '2026-01-02T00:00:00Z')];
  expect(marksOf(run('WaitingApproval', { startedAt: 'x' }), approvals)[2]?.note).toBe('waits for you');
  expect(openOne(approvals)?.metadata.createdAt).toBe('2026-01-02T00:00:00Z');
});

test('the closing text matches the state of the run', () => {
  const failed = run('Failed', { startedAt: 'x' });
  const paid = approval('ToolApproval', 'Approved');
  expect(storyOf(run('Succeeded'), [paid, approval('TaskApproval', 'Approved')]).text).toContain('went out because a person agreed');
  expect(storyOf(failed, [approval('ToolApproval', 'Denied')]).text).toBe('No money went out: a person denied the payment.');
  expect(storyOf(failed, [approval('ToolApproval', 'Expired')]).text).toContain('nobody decided on the payment in time');
  expect(storyOf(failed, [paid, approval('TaskApproval', 'Denied')]).text).toContain('The letter did not go out: a person denied it.');
  expect(storyOf(failed, [paid]).text).toContain('Your decisions were not the cause');
  expect(storyOf(failed, undefined).text).toBe('Its trace shows the reason.');
  expect(storyOf(run('WaitingApproval'), []).title).toBe('A run that waits for you');
  expect(storyOf(undefined, []).text).not.toContain('went out');
});
