// Runs the product on the Node versions it supports: fetches each from npm into a cache, then tries what a newcomer does and a set of tests.
// --brief leaves out the clean install, and runs fewer tests; further arguments are versions instead of the supported ones.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache/node-versions');
/** The oldest supported version, and one of each line. */
const SUPPORTED = ['20.19.0', '22.23.3', '24.21.0'];
const BRIEF_TESTS = ['server/store/sqlite/sqlite-store.test.ts', 'server/engine/shell/drive.test.ts', 'server/http/sse'];
const TESTS = ['server/store/sqlite', 'server/engine', 'server/http', 'server/tools/queue'];
const START_MAX_MS = 60_000;

const given = process.argv.slice(2);
const brief = given.includes('--brief');
const named = given.filter((argument) => !argument.startsWith('--'));

/** Runs a program to its end; fails with its output. */
function run(command, args, { env = process.env, cwd = root, input = '' } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', input, maxBuffer: 64 * 1024 * 1024 });
  if (status === 0) return { stdout, stderr };
  throw new Error(`${[command, ...args].join(' ')} ended with ${status ?? error?.message}:\n${stdout}${stderr}`);
}

/** The folder of the version's programs. */
function fetched(version) {
  const folder = join(cache, version);
  const bin = join(folder, 'bin');
  if (existsSync(join(bin, 'node'))) return bin;
  mkdirSync(folder, { recursive: true });
  const { stdout } = run('npm', ['pack', '--silent', '--pack-destination', cache, `node-${process.platform}-${process.arch}@${version}`]);
  const archive = join(cache, stdout.trim().split('\n').at(-1) ?? '');
  run('tar', ['xzf', archive, '-C', folder, '--strip-components=1']);
  rmSync(archive);
  return bin;
}

/** The first line that a started server writes to its log names its address. */
async function addressOf(server) {
  const timer = setTimeout(() => server.kill(), START_MAX_MS);
  let text = '';
  for await (const chunk of server.stdout) {
    text += String(chunk);
    const url = /"url":"(http:[^"]+)"/.exec(text)?.[1];
    if (url === undefined) continue;
    clearTimeout(timer);
    return url;
  }
  throw new Error(`svcd did not start: ${text}`);
}

/** A server of its own, a blueprint and one run of it through svcctl. What is printed to standard error counts as a failure. */
async function tryServer(env, folder) {
  const bin = (name) => join(root, `server/bin/${name}.mjs`);
  const args = [bin('svcd'), '--addr', '127.0.0.1:0', '--data-dir', join(folder, 'data'), '--ui', 'false'];
  const server = spawn('node', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const complaints = [];
  server.stderr.on('data', (chunk) => complaints.push(String(chunk)));
  try {
    const client = { env: { ...env, SVCCTL_SERVER: await addressOf(server) }, cwd: folder };
    const svcctl = (...words) => complaints.push(run('node', [bin('svcctl'), ...words], client).stderr);
    svcctl('init', 'fan-out-join', 'sample');
    svcctl('apply', '--run', '-f', 'sample');
    svcctl('wait', 'task/fan-out-join-run', '--for', 'phase=Succeeded', '--timeout', '60s');
  } finally {
    server.kill();
    await once(server, 'exit');
  }
  const warnings = complaints.join('').match(/^.*(?:Warning|Deprecat).*$/gm) ?? [];
  if (warnings.length > 0) throw new Error(`Node prints warnings to users:\n${warnings.join('\n')}`);
}

/** A clean install of what is committed, by the version itself, refusing packages that do not support it. */
function install(env, folder) {
  const npm = run('npm', ['root', '--global']).stdout.trim();
  run('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, join(folder, 'clone')]);
  run('node', [join(npm, 'npm/bin/npm-cli.js'), 'ci', '--engine-strict', '--no-audit', '--no-fund'], { env, cwd: join(folder, 'clone') });
}

async function check(version) {
  const began = performance.now();
  const env = { ...process.env, PATH: `${fetched(version)}${delimiter}${process.env.PATH ?? ''}` };
  const folder = mkdtempSync(join(tmpdir(), 'svc-node-'));
  try {
    if (!brief) install(env, folder);
    const { stdout, stderr } = run('node', [join(root, 'server/bin/quickstart.mjs'), '--once'], { env });
    if (!stdout.includes('Succeeded') || /Warning/.test(stderr)) throw new Error(`quickstart said:\n${stdout}${stderr}`);
    await tryServer(env, folder);
    run('node', ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...(brief ? BRIEF_TESTS : TESTS)], { env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`passed: Node ${version} (${((performance.now() - began) / 1000).toFixed(0)} s)`);
}

const current = process.versions.node.split('.')[0];
for (const version of named.length > 0 ? named : SUPPORTED.filter((each) => !brief || !each.startsWith(`${current}.`)))
  await check(version);
