// Runs the lanes of the continuous integration one after the other, and prints the time of each. All run, whatever one of them finds.
// `node scripts/ci.mjs --lane browser --lane faults` runs some of them. Two at once would disturb each other: each lane uses all processors.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = (...args) => [process.execPath, ...args];
const vitest = (...args) => node('node_modules/vitest/vitest.mjs', 'run', ...args);

/** Commands by lane, in the order in which they run. */
const LANES = {
  check: [
    ['npm', 'run', '--silent', 'check'],
    // Known vulnerabilities, where the registry answers.
    node('scripts/supply-chain.mjs', '--audit'),
  ],
  unit: [vitest('--project', '!system')],
  system: [vitest('--project', 'system')],
  browser: [node('scripts/e2e.mjs')],
  // The long form of the fault suite: kills, freezes, failing disks and databases under load.
  faults: [vitest('--project', 'system', 'kill-nine'), node('--import', 'tsx', 'e2e/faults/main.ts', '--scale', 'long')],
  // The other supported Node versions, briefly; without --brief the script installs and tests more.
  versions: [node('scripts/node-versions.mjs', '--brief')],
};

function runLane(name) {
  const began = performance.now();
  const env = name === 'faults' ? { ...process.env, SVC_TEST_SCALE: 'long' } : process.env;
  const failed = LANES[name].filter(([command, ...args]) => spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status !== 0);
  return { name, passed: failed.length === 0, seconds: (performance.now() - began) / 1000 };
}

const { lane: lanes = Object.keys(LANES) } = parseArgs({ options: { lane: { type: 'string', multiple: true } } }).values;
const unknown = lanes.filter((name) => !Object.hasOwn(LANES, name));
if (unknown.length > 0) {
  console.error(`Unknown lane ${unknown.join(', ')}: name one of ${Object.keys(LANES).join(', ')}.`);
  process.exit(2);
}

const built = spawnSync(process.execPath, [join(root, 'scripts/ensure-built.mjs')], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

const results = Object.keys(LANES)
  .filter((name) => lanes.includes(name))
  .map(runLane);
console.log('');
for (const { name, passed, seconds } of results) console.log(`${passed ? 'passed' : 'FAILED'}: lane ${name} (${seconds.toFixed(0)} s)`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
