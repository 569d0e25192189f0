// docs/api-guide.md is true: its commands, run in order as a reader would, give the answers that it shows.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectDirectory } from '../../server/installation.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

/** The guide assumes a shell with curl. Without them the test is skipped with a message; CI has them, so there it must run. */
const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).error !== undefined);
if (missing.length > 0) console.warn(`SKIPPED: the API guide is not tried, because this machine has no ${missing.join(' and no ')}`);
const skip = missing.length > 0 && process.env['CI'] !== 'true';

const ADDRESS = 'http://127.0.0.1:8080';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServerProcess();
});
afterAll(() => server.dispose());

function blocks(guide: string, language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
}

/** Runs a script in the root of the repository; resolves with its output, or rejects when a command fails. */
function runScript(script: string): Promise<string> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: projectDirectory(), env: { PATH: process.env['PATH'] } });
  let output = '';
  shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  shell.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    shell.on('error', reject);
    shell.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`exit code ${code}\n${output}`))));
  });
}

test.skipIf(skip)('the commands of the guide give the answers shown there', async () => {
  const guide = readFileSync(join(projectDirectory(), 'docs', 'api-guide.md'), 'utf8');
  const output = await runScript(blocks(guide, 'sh').join('\n').replace(ADDRESS, server.url));
  const shown = blocks(guide, 'json').map((block) => JSON.stringify(JSON.parse(block)));
  expect(shown.filter((answer) => !output.includes(answer))).toEqual([]);
  expect(shown.length).toBeGreaterThan(8);
  for (const text of [
    'HTTP/1.1 201 Created',
    '"continue":"default/role-b"',
    '"name":"single-agent-run-retry-1"',
    '"spec":{"data":{"value":"***","other":"***"}}',
    'event: synced',
    'data: {"reason":"task_finished"}',
    '"description":"The first."',
    '"type":"task.succeeded"',
  ]) {
    expect(output).toContain(text);
  }
});
