// Makes the npm package from the build output: out/package, and from it out/agent-orchestration-service-VERSION.tgz. Run `npm run build` before.
// `--to DIR` names another folder than out.
// One package holds the programs, with most of the packages that they need, and the built console: an installation needs neither a checkout nor a build.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { to: target } = parseArgs({ options: { to: { type: 'string', default: join(root, 'out') } } }).values;
const stage = join(target, 'package');
const PROGRAMS = ['svcd', 'svcctl', 'quickstart'];
const THREAD_PROGRAMS = ['checks/thread.mjs', 'tools/wasm/sandbox-thread.mjs'];
/** Output of the build: the part in the notes of scripts/ensure-built.mjs, its folder, and its place in the package. */
const BUILT = [
  { part: 'server', from: 'server/dist', to: 'dist' },
  { part: 'console', from: 'out/renderer', to: 'console' },
];

/** Settings with secrets, as the compose file reads them; .env.example has none. */
const isSecret = (path) => /^\.env(?!\.example$)/.test(basename(path));

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const writeJson = (path, value) => writeFileSync(join(stage, path), `${JSON.stringify(value, null, 2)}\n`);

function copy(from, to) {
  mkdirSync(dirname(join(stage, to)), { recursive: true });
  cpSync(join(root, from), join(stage, to), { recursive: true, filter: (path) => !isSecret(path) });
}

/** Files of the last build, without source maps and what names them. */
function copyBuild({ part, from, to }) {
  const note = join(root, 'out', `${part}.build.json`);
  if (!existsSync(note)) throw new Error(`${from} was not built: run npm run build first.`);
  for (const file of JSON.parse(readFileSync(note, 'utf8')).files.filter((name) => !name.endsWith('.map'))) {
    copy(join(from, file), join(to, file));
    if (!file.endsWith('.js')) continue;
    const text = readFileSync(join(stage, to, file), 'utf8');
    writeFileSync(join(stage, to, file), text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  }
}

function writeProgram(name) {
  const path = join(stage, 'bin', `${name}.mjs`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/usr/bin/env node\nimport './require-node.mjs';\n\nawait import('../dist/bin/${name}.js');\n`);
  chmodSync(path, 0o755);
}

function writeManifest() {
  const { name, version, description, license, engines } = readJson('package.json');
  const bundled = readJson('server/dist/bundled-packages.json').map((path) => path.split('node_modules/').at(-1));
  const stay = Object.entries(readJson('server/package.json').dependencies).filter(
    ([each]) => each !== '@svc/shared' && !bundled.includes(each),
  );
  writeJson('package.json', {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { svcd: 'bin/svcd.mjs', svcctl: 'bin/svcctl.mjs', 'svc-quickstart': 'bin/quickstart.mjs' },
    dependencies: Object.fromEntries(stay),
  });
}

function run(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: stage, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

rmSync(stage, { recursive: true, force: true });
for (const each of BUILT) copyBuild(each);
for (const path of THREAD_PROGRAMS) copy(join('server', path), path);
copy('server/bin/require-node.mjs', 'bin/require-node.mjs');
copy('resources', 'resources');
// Icons of the desktop app, which electron-builder reads from the checkout.
rmSync(join(stage, 'resources', 'build'), { recursive: true, force: true });
copy('LICENSE', 'LICENSE');
copy('README.md', 'README.md');
for (const name of PROGRAMS) writeProgram(name);
writeManifest();
writeFileSync(join(stage, 'bundled-licences.txt'), run(process.execPath, [join(root, 'scripts/supply-chain.mjs'), '--notices']));

const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', '..']));
const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(1);
console.log(
  `${join(target, packed.filename)}: ${megabytes(packed.size)} MiB, ${megabytes(packed.unpackedSize)} MiB unpacked, ${packed.entryCount} files`,
);
