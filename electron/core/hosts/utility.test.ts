// The host over a child of Node in place of Electron's utility process, with its kill() by SIGTERM.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createUtilityHost, type ForkUtility } from './utility.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-utility-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('ends a server that handles SIGTERM and hangs', async () => {
  const entry = join(directory, 'hang.mjs');
  writeFileSync(entry, "process.on('SIGTERM', () => undefined); process.send('up'); while (true);");
  const forkUtility: ForkUtility = (program, args, { env }) => {
    const child = fork(program, args, { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    return Object.assign(child, {
      postMessage: (message: unknown) => void child.send(message as object),
      kill: () => child.kill('SIGTERM'),
    }) as never;
  };
  const code = await new Promise((resolve) => {
    const child = createUtilityHost(forkUtility, { entry, env: {} }).start({
      onMessage: () => child.kill(),
      onLine: () => undefined,
      onExit: resolve,
    });
  });
  expect(code).toBeNull();
});
