// Builds the server and the console when their output is missing or when the sources differ from those it was built from, so that `npx svcd` and
// `npm run quickstart` run what is in the checkout. Takes some 30 ms when there is nothing to do. An installed npm package has no such step.
// With --install (the prepare hook of npm) a machine without the tools of the build is left alone. With --shell the desktop shell is built too, which
// tests need. With --all everything is built again. Programs that import this file have arguments of their own, which are no flags here.
//
// Several builds may run at once, and servers may start meanwhile: see place-build.mjs.
import '../server/bin/require-node.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeBuild } from './place-build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isProgram = basename(process.argv[1] ?? '') === basename(fileURLToPath(import.meta.url));
const flags = isProgram ? process.argv.slice(2) : [];
const installing = flags.includes('--install');
const all = flags.includes('--all');
const withShell = flags.includes('--shell');
/** Imported as `ensure-built.mjs?server-only`, by programs that serve no page. */
const serverOnly = import.meta.url.endsWith('?server-only');

const bundler = 'node_modules/vite/bin/vite.js';
const shellBundler = 'node_modules/electron-vite/bin/electron-vite.js';

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} note Name of the file that notes its sources and its files.
 * @property {string[]} folders Its sources.
 * @property {string} target Folder of its output.
 * @property {string[]} entries Files of the output that name all others.
 * @property {string} tool Without it the part cannot be built.
 * @property {(to: string) => string[]} command
 */

/** @type {Record<'programs' | 'page' | 'shell', Part>} */
const PARTS = {
  programs: {
    name: 'the server',
    note: 'server',
    folders: ['shared', 'server'],
    target: 'server/dist',
    entries: ['bin/svcd.js', 'bin/svcctl.js', 'bin/quickstart.js'],
    tool: bundler,
    command: (to) => ['scripts/build-server.mjs', to],
  },
  page: {
    name: 'the console',
    note: 'console',
    folders: ['renderer', 'shared', 'resources', 'docs'],
    target: 'out/renderer',
    entries: ['index.html'],
    tool: bundler,
    command: (to) => [bundler, 'build', 'renderer', '--outDir', to, '--logLevel', 'warn'],
  },
  shell: {
    name: 'the desktop shell',
    note: 'shell',
    folders: ['electron', 'shared', 'server/store/sqlite'],
    target: 'out',
    entries: ['main/index.js', 'main/svcd.js', 'preload/index.cjs'],
    tool: shellBundler,
    command: (to) => [shellBundler, 'build', '--outDir', to, '--logLevel', 'warn'],
  },
};

const noteOf = ({ note }) => join(root, 'out', `${note}.build.json`);

/** Names, sizes and times of the sources: any difference counts, also an older file or a deleted one. */
function sourcesOf({ folders }) {
  const hash = createHash('sha256');
  const addFile = (path) => {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const add = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'dist' && entry.name !== 'node_modules' && entry.name !== 'testing') add(path);
      } else if (/\.(ts|tsx|css|html|js|md|svg)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name)) {
        addFile(path);
      }
    }
  };
  for (const folder of folders) add(join(root, folder));
  // Builds hold packages too.
  for (const file of ['package-lock.json', 'scripts/build-server.mjs']) addFile(join(root, file));
  return hash.digest('hex');
}

const isMissing = ({ target, entries }) => !entries.every((file) => existsSync(join(root, target, file)));
const isStale = (part) => !existsSync(noteOf(part)) || JSON.parse(readFileSync(noteOf(part), 'utf8')).sources !== sourcesOf(part);

/** Returns the exit code of the tool; 1 without permission to write the output. */
function build(part) {
  try {
    return buildBeside(part);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

function buildBeside(part) {
  const sources = sourcesOf(part);
  mkdirSync(join(root, 'out'), { recursive: true });
  const beside = mkdtempSync(join(root, 'out', '.building-'));
  try {
    const [program = '', ...args] = part.command(beside);
    const status = spawnSync(process.execPath, [join(root, program), ...args], { cwd: root, stdio: ['ignore', 2, 2] }).status ?? 1;
    if (status !== 0) return status;
    const files = placeBuild(beside, join(root, part.target), part.entries);
    writeFileSync(join(beside, 'note'), JSON.stringify({ sources, files }));
    renameSync(join(beside, 'note'), noteOf(part));
    return 0;
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function ensure(part, { needed }) {
  const missing = isMissing(part);
  if (!existsSync(join(root, part.tool))) {
    if (!missing || !needed || installing) return;
    console.error(`The build of ${part.name} is missing and so are the tools to make it: run \`npm ci\` in the repository root first.`);
    process.exit(1);
  }
  if (!all && !missing && !isStale(part)) return;
  console.error(`Building ${part.name}${missing ? ' (first start only)' : ''} …`);
  const status = build(part);
  if (status === 0) return;
  if (needed && (missing || isProgram)) process.exit(status);
  console.error(
    missing ? `It could not be built; the server starts without ${part.name}.` : 'It could not be built; the last build starts.',
  );
}

ensure(PARTS.programs, { needed: true });
// The server is of use without its console.
if (!serverOnly) ensure(PARTS.page, { needed: all });
if (withShell) ensure(PARTS.shell, { needed: true });
