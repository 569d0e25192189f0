// Builds the server and the console when their output is missing or when the sources differ from those it was built from, so that `npx svcd` and
// `npm run quickstart` run what is in the checkout. Takes some 30 ms when there is nothing to do. An installed npm package has no such step.
// With --install (npm's prepare hook) a machine without the compiler is left alone; one without Vite serves no console, and says so.
// With --shell it builds the desktop shell too, which tests need.
// With --record (the end of `npm run build`) it builds nothing, and notes the sources that were built.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const bundler = join(root, 'node_modules/vite/bin/vite.js');
const shellBundler = join(root, 'node_modules/electron-vite/bin/electron-vite.js');
const installing = process.argv.includes('--install');
const recording = process.argv.includes('--record');
const withShell = process.argv.includes('--shell');
/** Imported as `ensure-built.mjs?server-only`, by programs that serve no page. */
const serverOnly = import.meta.url.endsWith('?server-only');

/** Parts of the build: source folders, output files, and the file that notes the sources of the last build. */
const programs = {
  folders: ['shared', 'server'],
  files: ['shared/dist/.tsbuildinfo', 'server/dist/.tsbuildinfo'],
  note: 'server/dist/.sources',
};
/** The desktop shell, built where it is named: `--shell`. */
const shell = { folders: ['electron', 'shared'], files: ['out/main/index.js', 'out/preload/index.cjs'], note: 'out/main.sources' };
const page = { folders: ['renderer', 'shared', 'resources'], files: ['out/renderer/index.html'], note: 'out/renderer.sources' };

/** Names, sizes and times of the sources: any difference counts, also an older file or a deleted one. */
function sourcesOf({ folders }) {
  const hash = createHash('sha256');
  const add = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'dist' && entry.name !== 'node_modules' && entry.name !== 'testing') add(path);
      } else if (/\.(ts|tsx|css|html|js|svg)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name)) {
        const { size, mtimeMs } = statSync(path);
        hash.update(`${path} ${size} ${mtimeMs}\n`);
      }
    }
  };
  for (const folder of folders) add(join(root, folder));
  return hash.digest('hex');
}

const isMissing = ({ files }) => !files.every((file) => existsSync(join(root, file)));
const isStale = (part) => {
  const note = join(root, part.note);
  return !existsSync(note) || readFileSync(note, 'utf8') !== sourcesOf(part);
};

function record(part) {
  mkdirSync(dirname(join(root, part.note)), { recursive: true });
  writeFileSync(join(root, part.note), sourcesOf(part));
}

function run(command) {
  return spawnSync(process.execPath, command, { cwd: root, stdio: ['ignore', 2, 2] }).status ?? 1;
}

function ensurePrograms() {
  const missing = isMissing(programs);
  if (missing && !existsSync(compiler) && !installing) {
    console.error('The build output is missing and so is the TypeScript compiler: run `npm ci` in the repository root first.');
    process.exit(1);
  }
  if (!existsSync(compiler) || (!missing && !isStale(programs))) return;
  console.error(missing ? 'Building (first start only) …' : 'Building what has changed …');
  // The compiler skips sources that are older than its last build. A build of long ago makes it compare what they contain.
  if (!missing) for (const file of programs.files) utimesSync(join(root, file), 1, 1);
  const status = run([compiler, '-b', ...programs.folders]);
  if (status !== 0) process.exit(status);
  record(programs);
}

function ensurePage() {
  if (!existsSync(bundler) || (!isMissing(page) && !isStale(page))) return;
  console.error('Building the console …');
  // The server is of use without its console.
  if (run([bundler, 'build', 'renderer', '--logLevel', 'warn']) === 0) record(page);
  else console.error('The console could not be built; the server starts without this one.');
}

function ensureShell() {
  if (!existsSync(shellBundler) || (!isMissing(shell) && !isStale(shell))) return;
  console.error('Building the desktop shell …');
  const status = run([shellBundler, 'build', '--logLevel', 'warn']);
  if (status !== 0) process.exit(status);
  record(shell);
}

if (recording) [programs, page, ...(withShell ? [shell] : [])].forEach(record);
else {
  ensurePrograms();
  if (!serverOnly) ensurePage();
  if (withShell) ensureShell();
}
