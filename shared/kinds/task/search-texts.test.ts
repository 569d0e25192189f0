// Searchable texts of Tasks.
import { expect, it } from 'vitest';
import { taskSearchTexts, taskTextVersion } from './search-texts.ts';

const running = {
  name: 'pay-1',
  generation: 1,
  spec: { input: { topic: 'taxes', region: 'eu' } },
  status: { lastError: 'attempt failed', output: { last_output: 'half', last_agent: 'writer' } },
};
const ended = { ...running, status: { ...running.status, completedAt: '2026-01-01T00:00:00.000Z' } };

it('are name and input at first, and error and output once it has ended', () => {
  expect(taskSearchTexts(running)).toEqual({ name: 'pay-1', input: 'taxes\neu' });
  expect(taskSearchTexts(ended)).toEqual({ name: 'pay-1', input: 'taxes\neu', error: 'attempt failed', output: 'half' });
});

it('have a new version after the end of a run and after a change of the spec', () => {
  const versions = [running, ended, { ...running, generation: 2 }].map(taskTextVersion);
  expect(new Set(versions).size).toBe(3);
  expect(taskTextVersion({ ...running, status: { ...running.status, lastError: 'another' } })).toBe(taskTextVersion(running));
});
