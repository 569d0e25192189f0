// The svcctl command of a terminal, on the Node.js of the server and on that of the person.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createCommandDirectory } from './svcctl-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-command-'));
afterAll(() => rmSync(directory, { recursive: true }));

const program = join(directory, "it's svcctl.mjs");
writeFileSync(program, 'console.log(process.argv.slice(2).join())');

async function run(node: string | undefined, PATH: string) {
  const commands = await createCommandDirectory({ node, program });
  const { status, stdout, stderr } = spawnSync('/bin/sh', [join(commands.path, 'svcctl'), 'get', 'a b'], {
    env: { PATH },
    encoding: 'utf8',
  });
  await commands.remove();
  return { status, stdout, stderr };
}

test('runs on the given node', async () => {
  expect(await run(process.execPath, directory)).toEqual({ status: 0, stdout: 'get,a b\n', stderr: '' });
});

test('runs on the node of the PATH where none is given, and reports that there is none', async () => {
  expect(await run(undefined, directory)).toEqual({
    status: 127,
    stdout: '',
    stderr: 'svcctl needs Node.js 20.19 or newer: install it, and open a new terminal\n',
  });
  symlinkSync(process.execPath, join(directory, 'node'));
  expect(await run(undefined, directory)).toEqual({ status: 0, stdout: 'get,a b\n', stderr: '' });
});
