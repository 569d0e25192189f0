// `npx svcd` ends with npx: npx itself forwards no signal, and a server left behind would hold the data directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { projectDirectory } from '../../server/installation.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'svcd-npx-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('ending npx stops the server it started, which reports it and closes its output', async () => {
  const npx = spawn('npx', ['svcd', '--addr', '127.0.0.1:0', '--data-dir', dataDir], {
    cwd: projectDirectory(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const messages: string[] = [];
  const lines = createInterface({ input: npx.stdout });
  const closed = once(lines, 'close');
  lines.on('line', (line) => {
    messages.push((JSON.parse(line) as { msg: string }).msg);
    if (messages.length === 1) npx.kill('SIGTERM');
  });
  await closed;
  expect(messages[0]).toContain('listening on');
  expect(messages).toContain('stopping');
});
