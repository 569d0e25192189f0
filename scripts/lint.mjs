// Lints the repository part by part, each in a process of its own: a second program of types in the same process doubles the time of both.
// `npm run lint -- server tests --fix` lints some of the parts, with options of ESLint.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const without = (...patterns) => patterns.flatMap((pattern) => ['--ignore-pattern', pattern]);

/** Arguments of ESLint by part. `rest` takes what belongs to no other. */
const PARTS = {
  console: ['renderer', ...without('renderer/build/', 'renderer/vite.config.ts')],
  server: ['server', ...without('**/*.test.ts', 'server/testing/**/*.ts')],
  shared: ['shared', ...without('**/*.test.ts')],
  tests: ['{shared,server}/**/*.test.ts', 'server/testing/**/*.ts'],
  rest: ['.', ...without('shared/', 'server/', 'renderer/!(build|vite.config.ts)')],
};

const options = process.argv.slice(2).filter((arg) => arg.startsWith('-'));
const named = process.argv.slice(2).filter((arg) => !arg.startsWith('-'));
const unknown = named.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(', ')}: name one of ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
const eslint = ['--max-old-space-size=8192', '--max-semi-space-size=128', 'node_modules/eslint/bin/eslint.js', '--max-warnings', '0'];
for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
  const { status } = spawnSync(process.execPath, [...eslint, ...options, ...PARTS[name]], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
