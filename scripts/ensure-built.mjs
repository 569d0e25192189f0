// Builds the TypeScript sources when the compiled output is missing or older than they are, so that `npx svcd` and
// `npm run quickstart` run what is in the checkout. Takes some 10 ms when there is nothing to do.
// With --install (npm's prepare hook) a machine without the compiler is left alone.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const installing = process.argv.includes('--install');
/** Written by each build; its time is the time of the build. */
const records = ['shared', 'server'].map((folder) => join(root, folder, 'dist/.tsbuildinfo'));

function newestSource(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'dist' && entry.name !== 'node_modules' && entry.name !== 'testing') newest = Math.max(newest, newestSource(path));
    } else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) {
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
  const { status } = spawnSync(process.execPath, [compiler, '-b', 'shared', 'server'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  const now = new Date();
  for (const record of records) utimesSync(record, now, now);
}
