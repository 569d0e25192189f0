// Sessions with svcctl in the docs are true: their commands, typed in order, print the lines that the page shows.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectDirectory } from '../../server/installation.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

/** The sessions assume a shell with curl. Without them the tests are skipped with a message; CI has them, so there they must run. */
const missing = ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
if (missing.length > 0)
  console.warn(`SKIPPED: sessions of the docs are not tried, because this machine has no ${missing.join(' and no ')}`);
const skip = missing.length > 0 && process.env['CI'] !== 'true';

const directory = mkdtempSync(join(tmpdir(), 'svc-sessions-'));
const bin = join(directory, 'bin');
const program = join(projectDirectory(), 'server', 'dist', 'bin', 'svcctl.js');

let server: ServerProcess;
beforeAll(async () => {
  mkdirSync(bin);
  const npx = `#!/bin/sh\nshift\nexport npm_execpath=npx-cli.js npm_command=exec\nexec "${process.execPath}" "${program}" "$@"\n`;
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 });
  server = await startServerProcess();
});
afterAll(async () => {
  await server.dispose();
  rmSync(directory, { recursive: true, force: true });
});

const page = (name: string): string => readFileSync(join(projectDirectory(), 'docs', name), 'utf8');

const blocks = (name: string, language: string): string[] =>
  [...page(name).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);

const shell = (command: string): string[] => ['-c', `exec 2>&1; ${command.replaceAll('localhost:8080', new URL(server.url).host)}`];
const options = () => ({ cwd: directory, env: { PATH: `${bin}:${process.env['PATH']}`, SVCCTL_SERVER: server.url, HOME: directory } });

/** Standard output and error of a command, in the order in which they were written. */
const type = (command: string): string => spawnSync('bash', shell(command), { ...options(), encoding: 'utf8' }).stdout;

/** The same of a command that another terminal follows; `during` runs when it has printed `mark`. */
async function follow(command: string, mark: string, during: () => void): Promise<string> {
  const child = spawn('bash', shell(command), { ...options(), stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  let reached = false;
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (reached || !printed.includes(mark)) return;
    reached = true;
    during();
  });
  await once(child, 'close');
  return printed;
}

const apply = (manifest: string) => {
  writeFileSync(join(directory, 'manifest.yaml'), manifest);
  return type('npx svcctl apply -f manifest.yaml');
};

/** Lines without what differs from run to run: durations, scores, ids of workers, widths of columns. */
const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) =>
      line
        // Also in two units, as `2m13s`: the age of a server on a slow machine.
        .replace(/<?\b(\d+[mh] ?)?\d+(\.\d+)? ?(ms|s|m|h|d)\b/g, 'T')
        .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE')
        .replace(/\d\.\d{3,}/g, 'N')
        .replace(/^[\w.-]+-\d+ (?=\s*Ready)/, 'worker ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '' && line !== '…');

interface TypedCommand {
  readonly command: string;
  readonly shown: string;
}

const commandsOf = (block: string): TypedCommand[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((each) => ({ command: each.split('\n')[0] ?? '', shown: each.slice(each.indexOf('\n')) }));

/** Shown lines that a command did not print, in this order; `…` stands for lines that a page leaves out. */
function unprinted({ command, shown }: TypedCommand, printed: string): string[] {
  const left = lines(printed);
  return lines(shown)
    .filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(0, at + 1);
      return at < 0;
    })
    .map((line) => `${command} → ${line}`);
}

const missingIn = (block: string): string[] => commandsOf(block).flatMap((typed) => unprinted(typed, type(typed.command)));

const MODEL = `
apiVersion: svc.dev/v1
kind: ModelEndpoint
metadata: { name: m }
spec: { provider: mock }
`;

test.skipIf(skip)('svcctl prints the sessions of memory.md', () => {
  expect(blocks('memory.md', 'console').flatMap(missingIn)).toEqual([]);
});

test.skipIf(skip)('svcctl prints the sessions of experiments.md', () => {
  const [tone = '', objects = ''] = blocks('experiments.md', 'yaml');
  writeFileSync(join(directory, 'tone.yaml'), tone);
  apply(objects);
  apply(objects.replace('Be formal.', 'Be kind.'));
  expect(blocks('experiments.md', 'console').flatMap(missingIn)).toEqual([]);
});

test.skipIf(skip)('svcctl prints the sessions of trials.md', async () => {
  const [followed = '', ...others] = blocks('trials.md', 'console');
  apply(blocks('trials.md', 'yaml').join(''));
  const [first = { command: '', shown: '' }] = commandsOf(followed);
  const missing: string[] = [];
  const printed = await follow(first.command, 'svcctl continue', () => missing.push(...missingIn(others[0] ?? '')));
  expect([...missing, ...unprinted(first, printed), ...others.slice(1).flatMap(missingIn)]).toEqual([]);
});

test.skipIf(skip)('svcctl prints the sessions of governance.md', () => {
  const agent = 'kind: Agent\nmetadata: { name: writer }\nspec: { model_ref: m, roles: [mail-clerk], tools: [mail] }';
  const tool = 'kind: Tool\nmetadata: { name: mail }\nspec: { endpoint: https://mail.example/x, operation_classes: [read, write, delete] }';
  apply([MODEL, ...blocks('governance.md', 'yaml'), ...[agent, tool].map((each) => `apiVersion: svc.dev/v1\n${each}\n`)].join('---\n'));
  expect(blocks('governance.md', 'console').flatMap(missingIn)).toEqual([]);
});

test.skipIf(skip)('svcctl prints the sessions of troubleshooting.md', async () => {
  const objects = [
    'kind: Agent\nmetadata: { name: looker }\nspec: { model_ref: m, tools: [look] }',
    "kind: ToolPermission\nmetadata: { name: look }\nspec: { required_permissions: ['look:use'] }",
    'kind: AgentSystem\nmetadata: { name: sight }\nspec: { agents: [looker] }',
    'kind: Task\nmetadata: { name: p-gpu }\nspec: { system: sight, requirements: { gpu: true } }',
    'kind: Tool\nmetadata: { name: look }\nspec: { endpoint: http://127.0.0.1:9/look }',
  ];
  const printed = apply([MODEL, ...objects.map((each) => `apiVersion: svc.dev/v1\n${each}\n`)].join('---\n'));
  const [warning] = page('troubleshooting.md').match(/^warning: Tool .*$/m) ?? [];
  expect(printed).toContain(warning);
  // The state of a worker is that of its last heartbeat, which may still count a run of another page.
  await expect.poll(() => blocks('troubleshooting.md', 'console').flatMap(missingIn), { timeout: 20_000, interval: 500 }).toEqual([]);
});
