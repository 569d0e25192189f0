// Limit of open files, as this system states it and against the flags.
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openFilesLimit, openFilesProblem } from './open-files.ts';

it.skipIf(!existsSync('/proc/self/limits'))('is read from the system', async () => {
  expect(await openFilesLimit()).toBeGreaterThan(0);
});

it.each([
  [undefined, undefined],
  [4_352, undefined],
  [70, expect.stringMatching(/^this process may have 70 open files, and --max-connections takes up to 4352: /)],
])('with a limit of %j and 4096 connections reports %j', (limit, problem) => {
  expect(openFilesProblem(limit, 4_096)).toEqual(problem);
});
