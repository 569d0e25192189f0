// Builds the TypeScript sources when the compiled output is missing, so that `npx svcd` and
// `npm run quickstart` work right after `npm ci`. Does nothing when the output is there.
// With --install (npm's prepare hook) a machine without the compiler is left alone.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const markers = [join(root, 'server/dist/bin/svcd.js'), join(root, 'shared/dist/kinds/index.js')];
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const installing = process.argv.includes('--install');

if (!markers.every(existsSync)) {
  if (!existsSync(compiler)) {
    if (installing) process.exit(0);
    console.error('The build output is missing and so is the TypeScript compiler: run `npm ci` in the repository root first.');
    process.exit(1);
  }
  console.error('Building (first start only) …');
  const { status } = spawnSync(process.execPath, [compiler, '-b', 'shared', 'server'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
