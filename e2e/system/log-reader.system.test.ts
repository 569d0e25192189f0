// A real svcd keeps serving after the reader of its log has exited.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const svcd = fileURLToPath(new URL('../../server/bin/svcd.mjs', import.meta.url));

test('the service survives a reader of its log that exits', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svcd-log-'));
  const child = spawn(process.execPath, [svcd, '--addr', '127.0.0.1:0', '--data-dir', dataDir, '--log-level', 'debug'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    child.stdout.destroy();
    await once(child.stdout, 'close');
    for (let request = 0; request < 5; request += 1) expect((await fetch(`${url}/nothing-here`)).status).toBe(404);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
});
