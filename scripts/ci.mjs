// Runs the lanes of the continuous integration one after the other, whatever one of them finds; the end of the output names each lane with its
// time, the load of the processors, and each test that failed. Two lanes at once would disturb each other: each uses all processors.
// `node scripts/ci.mjs --lane browser --lane faults` runs some of them. Without --lane all run but faults, whose short form is part of system:
// run it before a release.
//
// A test that fails is tried once more. One that passes then is flaky: it is named at the end as such, and fails the build as well.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lineOf, readReport } from './ci-report.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reports = join(root, 'out/ci');
/** More files than these share a cause, and a second try of all would take as long as the first. */
const RETRIED_FILES_MAX = 4;
const TAIL_LINES = 25;

const node = (...args) => ({ command: [process.execPath, ...args] });
const vitest = (...args) => ({ command: [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...args], vitest: true });

/** Lanes that run when they are named only. */
const ON_DEMAND = ['faults'];

/** Commands by lane, in the order in which they run. */
const LANES = {
  check: [
    { command: ['npm', 'run', '--silent', 'check'] },
    // Known vulnerabilities, where the registry answers.
    node('scripts/supply-chain.mjs', '--audit'),
  ],
  unit: [vitest('--project', '!system')],
  system: [vitest('--project', 'system')],
  browser: [{ ...node('scripts/e2e.mjs'), report: join(root, 'e2e/results/report.json') }],
  // The long form of the fault suite: kills, freezes, failing disks and databases under load.
  faults: [vitest('--project', 'system', 'kill-nine'), node('--import', 'tsx', 'e2e/faults/main.ts', '--scale', 'long')],
  // The other supported Node versions, briefly; without --brief the script installs and tests more.
  versions: [node('scripts/node-versions.mjs', '--brief')],
};

const { lane: lanes = Object.keys(LANES).filter((name) => !ON_DEMAND.includes(name)) } = parseArgs({
  options: { lane: { type: 'string', multiple: true } },
}).values;
const unknown = lanes.filter((name) => !Object.hasOwn(LANES, name));
if (unknown.length > 0) {
  console.error(`Unknown lane ${unknown.join(', ')}: name one of ${Object.keys(LANES).join(', ')}.`);
  process.exit(2);
}

/**
 * Runs a command and passes its output on. Resolves with whether it ended with 0, and the last lines that it printed.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 */
async function run(command, env) {
  const child = spawn(command[0] ?? '', command.slice(1), { cwd: root, env, stdio: ['inherit', 'pipe', 'pipe'] });
  let tail = '';
  /** @param {NodeJS.WriteStream} to */
  const passOn = (to) => (/** @type {Buffer} */ chunk) => {
    to.write(chunk);
    tail = `${tail}${chunk}`.slice(-20_000);
  };
  child.stdout.on('data', passOn(process.stdout));
  child.stderr.on('data', passOn(process.stderr));
  const [status] = await once(child, 'close');
  return { passed: status === 0, tail: tail.trimEnd().split('\n').slice(-TAIL_LINES) };
}

async function runVitest(command, lane, env) {
  const first = join(reports, `${lane}.json`);
  const second = join(reports, `${lane}.second.json`);
  const withReport = (path) => ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const { passed, tail } = await run([...command, ...withReport(first)], env);
  if (passed) return { failed: [], flaky: [] };
  const { failed } = readReport(first, root);
  const files = [...new Set(failed.map(({ file }) => file))];
  // Without a failed file the run itself is at fault: an error outside of tests, or programs that tests left running.
  if (files.length === 0)
    return { failed: [{ file: lane, title: 'no test failed, but the run did', error: tail.join('\n      ') }], flaky: [] };
  if (files.length > RETRIED_FILES_MAX) return { failed, flaky: [] };
  console.log(`\nSecond try of ${files.join(', ')}`);
  const again = await run([...command, ...files, ...withReport(second)], env);
  return again.passed ? { failed: [], flaky: failed } : { failed, flaky: [] };
}

async function runOther({ command, report }, lane, env) {
  if (report !== undefined) rmSync(report, { force: true });
  const { passed, tail } = await run(command, env);
  const found = report === undefined ? { failed: [], flaky: [] } : readReport(report, root);
  if (passed || found.failed.length > 0) return found;
  return { ...found, failed: [{ file: lane, title: command.join(' '), error: tail.join('\n      ') }] };
}

/** Milliseconds that the processors of this machine have worked and waited since it started. */
function processorTimes() {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) };
}

async function runLane(name) {
  const began = performance.now();
  const before = processorTimes();
  const env = name === 'faults' ? { ...process.env, SVC_TEST_SCALE: 'long' } : process.env;
  const found = [];
  for (const step of LANES[name]) {
    found.push(await (step.vitest === true ? runVitest(step.command, name, env) : runOther(step, name, env)));
  }
  const seconds = (performance.now() - began) / 1000;
  const after = processorTimes();
  const busy = 1 - (after.idle - before.idle) / (after.all - before.all);
  return { name, seconds, busy, failed: found.flatMap(({ failed }) => failed), flaky: found.flatMap(({ flaky }) => flaky) };
}

const built = spawnSync(process.execPath, [join(root, 'scripts/ensure-built.mjs'), '--shell'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

const results = [];
for (const name of Object.keys(LANES)) if (lanes.includes(name)) results.push(await runLane(name));

console.log('');
const flaky = results.flatMap((result) => result.flaky);
for (const { name, seconds, busy, failed } of results)
  console.log(
    `${failed.length === 0 ? 'passed' : 'FAILED'}: lane ${name} (${seconds.toFixed(0)} s, processors ${(busy * 100).toFixed(0)} % busy)`,
  );
for (const { name, failed } of results) for (const finding of failed) console.log(`  failed, ${name}: ${lineOf(finding)}`);
for (const finding of flaky) console.log(`  FAILED as flaky, passed at the second try: ${lineOf(finding)}`);
process.exitCode = flaky.length > 0 || results.some(({ failed }) => failed.length > 0) ? 1 : 0;
