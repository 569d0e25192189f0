// The command that hints print, by how svcctl was started.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hintText, programName } from './program-name.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svcctl-path-'));
  await writeFile(join(directory, 'svcctl'), '#!/bin/sh\n');
  await chmod(join(directory, 'svcctl'), 0o755);
});
afterAll(() => rm(directory, { recursive: true }));

test('hints print svcctl where the shell finds it', () => {
  expect(programName({ PATH: `/nowhere:${directory}` })).toBe('svcctl');
});

test('hints print npx svcctl where the PATH has no svcctl', () => {
  expect([programName({ PATH: '/nowhere' }), programName({})]).toEqual(['npx svcctl', 'npx svcctl']);
});

test('hints print npx svcctl under npx, whose own PATH the shell does not have', () => {
  expect(programName({ PATH: directory, npm_execpath: '/usr/lib/npx-cli.js', npm_command: 'exec' })).toBe('npx svcctl');
});

test('a hint names the command that it is given', () => {
  expect([hintText((svcctl) => `see "${svcctl} get"`, 'npx svcctl'), hintText('as it is', 'svcctl')]).toEqual([
    'see "npx svcctl get"',
    'as it is',
  ]);
});
