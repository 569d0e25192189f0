// Prints the manual checks for an Electron binary, and runs the specs of a real binary where one is found.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { electronBinary, supportEnds } from './electron-binary.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = readFileSync(join(root, 'docs/unverified.md'), 'utf8');
const section = text.split('## Desktop app')[1]?.split('\n## ')[0] ?? '';
const items = section.split('\n').filter((line) => line.startsWith('- '));

console.log(`Open in the desktop app until a person has looked, with a binary of the version in package.json (${items.length} points):\n`);
for (const item of items) console.log(`[ ]${item.slice(1)}`);

const { electron } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
const ends = supportEnds(Number.parseInt(electron, 10));
const over = ends !== undefined && ends < new Date().toISOString();
console.log(
  `\nElectron ${electron} ${over ? 'has had no security fixes since about' : 'gets security fixes until about'} ${ends}${over ? ': release with a newer one' : ''}`,
);

const binary = electronBinary();
if (binary === undefined) {
  console.log(
    '\nSKIPPED: e2e/electron did not run, because no Electron binary was found. Name one with SVC_ELECTRON_PATH=/path/to/electron.',
  );
} else {
  console.log(`\nRunning e2e/electron on ${binary}`);
  const runner = join(root, 'node_modules/@playwright/test/cli.js');
  const { status } = spawnSync(process.execPath, [runner, 'test', '--project', 'shell', 'e2e/electron'], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
