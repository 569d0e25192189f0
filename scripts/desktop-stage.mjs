// Stages the desktop app for electron-builder in out/desktop: the npm package (`npm run pack`), the built main and preload, and its production
// dependencies; beside it, in out/desktop/svcctl, svcctl for terminals. Ends with what the app holds, by size. `--no-install` leaves the dependencies out, `--to DIR` stages elsewhere, `--from DIR` names
// another npm package.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const {
  from: packaged,
  to,
  'no-install': noInstall,
} = parseArgs({
  options: {
    from: { type: 'string', default: join(root, 'out', 'package') },
    to: { type: 'string', default: join(root, 'out', 'desktop') },
    'no-install': { type: 'boolean', default: false },
  },
}).values;

for (const built of [join(packaged, 'dist/bin/svcd.js'), join(root, 'out/main/index.js'), join(root, 'out/preload/index.cjs')]) {
  if (existsSync(built)) continue;
  console.error(`${built} is missing: run npm run desktop:build, then npm run pack.`);
  process.exit(1);
}

rmSync(to, { recursive: true, force: true });
cpSync(packaged, to, { recursive: true });
// Files for servers on a host.
rmSync(join(to, 'resources', 'deploy'), { recursive: true, force: true });
// The node of a person runs svcctl and cannot read the archive of the app.
const svcctl = join(to, 'svcctl');
for (const path of ['bin/svcctl.mjs', 'dist/bin/svcctl.js', 'dist/chunks/svcctl']) {
  mkdirSync(dirname(join(svcctl, path)), { recursive: true });
  renameSync(join(to, path), join(svcctl, path));
}
for (const path of ['package.json', 'bin/require-node.mjs', 'resources/blueprints'])
  cpSync(join(to, path), join(svcctl, path), { recursive: true });
for (const part of ['main', 'preload']) cpSync(join(root, 'out', part), join(to, 'out', part), { recursive: true });
const { main, desktopName, allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const manifest = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8'));
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8'));
writeFileSync(
  join(to, 'package.json'),
  `${JSON.stringify({ ...manifest, main, desktopName, author: manifest.author ?? 'The authors of Svc', optionalDependencies, allowScripts }, null, 2)}\n`,
);
if (!noInstall) {
  const { status } = spawnSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: to,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

function sizeOf(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
const parts = readdirSync(to).map((name) => [name, sizeOf(join(to, name))]);
for (const [name, size] of parts.sort((a, b) => b[1] - a[1])) console.log(`${(size / 1024 / 1024).toFixed(1).padStart(8)} MiB  ${name}`);
