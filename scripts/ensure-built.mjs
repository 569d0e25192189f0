// Builds the server and the console when their output is missing or older than the sources, so that `npx svcd` and
// `npm run quickstart` run what is in the checkout. Takes some 20 ms when there is nothing to do.
// With --install (npm's prepare hook) a machine without the compiler is left alone; one without Vite serves no console, and says so.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const installing = process.argv.includes('--install');
/** Imported as `ensure-built.mjs?server-only`, by programs that serve no page. */
const serverOnly = import.meta.url.endsWith('?server-only');
/** Written by each build; its time is the time of the build. */
const records = ['shared', 'server'].map((folder) => join(root, folder, 'dist/.tsbuildinfo'));

function newestSource(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'dist' && entry.name !== 'node_modules' && entry.name !== 'testing') newest = Math.max(newest, newestSource(path));
    } else if (/\.(ts|tsx|css|html|js|svg)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name)) {
      newest = Math.max(newest, statSync(path).mtimeMs);
    }
  }
  return newest;
}

const missing = !records.every(existsSync);
const stale = !missing && ['shared', 'server'].some((folder, i) => newestSource(join(root, folder)) > statSync(records[i]).mtimeMs);

if (missing && !existsSync(compiler) && !installing) {
  console.error('The build output is missing and so is the TypeScript compiler: run `npm ci` in the repository root first.');
  process.exit(1);
}
if ((missing || stale) && existsSync(compiler)) {
  console.error(missing ? 'Building (first start only) …' : 'Building what has changed …');
  const status = run([compiler, '-b', 'shared', 'server']);
  if (status !== 0) process.exit(status);
  const now = new Date();
  for (const record of records) utimesSync(record, now, now);
}

const bundler = join(root, 'node_modules/vite/bin/vite.js');
const page = join(root, 'out/renderer/index.html');
const pageSources = ['renderer', 'shared', 'resources'].map((folder) => join(root, folder));
if (
  !serverOnly &&
  existsSync(bundler) &&
  (!existsSync(page) || pageSources.some((folder) => newestSource(folder) > statSync(page).mtimeMs))
) {
  console.error('Building the console …');
  // The server is of use without its console.
  if (run([bundler, 'build', 'renderer', '--logLevel', 'warn']) !== 0)
    console.error('The console could not be built; the server starts without this one.');
}

function run(command) {
  return spawnSync(process.execPath, command, { cwd: root, stdio: ['ignore', 2, 2] }).status ?? 1;
}
