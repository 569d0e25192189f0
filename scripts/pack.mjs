// Makes the npm package from the build output: out/package, and from it out/agent-orchestration-service-VERSION.tgz. Run `npm run build` before.
// One package holds the server, the shared code and the built console, so that an installation needs neither a checkout nor a build.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stage = join(root, 'out', 'package');
const SHARED = '@svc/shared';
/** It names the TypeScript compiler as a peer, for its types alone: bundled without that, 31 MiB less are installed. */
const TRPC = '@trpc/server';
const PROGRAMS = ['svcd', 'svcctl', 'quickstart'];
const THREAD_PROGRAMS = ['checks/thread.mjs', 'tools/wasm/sandbox-thread.mjs'];
/** The generators of docs/reference work on a checkout. */
const LEFT_OUT = /(^|\/)(docs|testing)(\/|$)|generate-docs|\.d\.[cm]?ts$|\.map$|\.tsbuildinfo$/;

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const writeJson = (path, value) => writeFileSync(join(stage, path), `${JSON.stringify(value, null, 2)}\n`);

/** Programs of a build folder, without types, source maps and what only development needs. */
function copyPrograms(from, to) {
  const source = join(root, from);
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(source.length + 1);
    if (!entry.isFile() || LEFT_OUT.test(path)) continue;
    const text = readFileSync(join(source, path), 'utf8').replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
    mkdirSync(dirname(join(stage, to, path)), { recursive: true });
    writeFileSync(join(stage, to, path), text);
  }
}

function copy(from, to) {
  mkdirSync(dirname(join(stage, to)), { recursive: true });
  cpSync(join(root, from), join(stage, to), { recursive: true, filter: (path) => !path.endsWith('.map') });
}

function writeProgram(name) {
  const path = join(stage, 'bin', `${name}.mjs`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/usr/bin/env node\nawait import('../dist/bin/${name}.js');\n`);
  chmodSync(path, 0o755);
}

function writeManifests() {
  const { name, version, description, license, engines } = readJson('package.json');
  const [server, shared] = [readJson('server/package.json'), readJson('shared/package.json')];
  writeJson('package.json', {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { svcd: 'bin/svcd.mjs', svcctl: 'bin/svcctl.mjs', 'svc-quickstart': 'bin/quickstart.mjs' },
    // Those of the shared code are installed as the package's own: it is bundled without them.
    dependencies: { ...shared.dependencies, ...server.dependencies },
    bundleDependencies: [SHARED, TRPC],
  });
  const exports = { './kinds': './dist/kinds/index.js', './*': './dist/*.js' };
  writeJson(`node_modules/${SHARED}/package.json`, { name: SHARED, version: shared.version, license, type: 'module', exports });
}

function bundleTrpc() {
  const folder = `node_modules/${TRPC}`;
  const { peerDependencies: _compiler, devDependencies: _tools, scripts: _scripts, ...manifest } = readJson(`${folder}/package.json`);
  copy(`${folder}/LICENSE`, `${folder}/LICENSE`);
  copyPrograms(`${folder}/dist`, `${folder}/dist`);
  writeJson(`${folder}/package.json`, manifest);
}

function run(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: stage, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

for (const built of ['server/dist/bin/svcd.js', 'shared/dist/kinds/index.js', 'out/renderer/index.html']) {
  if (!existsSync(join(root, built))) {
    console.error(`${built} is missing: run npm run build first.`);
    process.exit(1);
  }
}
rmSync(stage, { recursive: true, force: true });
copyPrograms('server/dist', 'dist');
copyPrograms('shared/dist', `node_modules/${SHARED}/dist`);
for (const path of THREAD_PROGRAMS) copy(join('server', path), path);
copy('out/renderer', 'console');
copy('resources', 'resources');
// Icons of the desktop app, which electron-builder reads from the checkout.
rmSync(join(stage, 'resources', 'build'), { recursive: true, force: true });
copy('LICENSE', 'LICENSE');
copy('README.md', 'README.md');
for (const name of PROGRAMS) writeProgram(name);
writeManifests();
bundleTrpc();
writeFileSync(join(stage, 'console-licences.txt'), run(process.execPath, [join(root, 'scripts/supply-chain.mjs'), '--notices']));

const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', '..']));
const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(1);
console.log(
  `out/${packed.filename}: ${megabytes(packed.size)} MiB, ${megabytes(packed.unpackedSize)} MiB unpacked, ${packed.entryCount} files`,
);
