// Delivered packages, by package-lock.json and the console's imports: a licences page, an SBOM in CycloneDX, and the rules for both.
// Without arguments it writes docs/licences.md; --check verifies page, licences and install scripts; --sbom prints the SBOM; --notices prints the licence texts
// of what the built files hold; --audit asks the registry.
// `npm sbom --omit dev` is not used: it leaves out packages that development needs as well.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = 'docs/licences.md';
const ALLOWED = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'OFL-1.1',
  'CC0-1.0',
  'BlueOak-1.0.0',
]);
/** Install scripts that may run. Both compile an addon: SQLite's where no prebuilt binary fits, the terminal's on Linux. */
const MAY_RUN = ['@photostructure/sqlite', 'node-pty'];

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const lock = readJson('package-lock.json').packages;
const manifest = readJson('package.json');

/** The name that an entry of the lock file is installed under. */
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The entry that `from` gets when it requires `name`, as Node resolves it. */
function resolve(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

/** Packages that the console's sources import: the build puts them into its files. */
function bundledNames() {
  const sources = readdirSync(join(root, 'renderer'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(tsx?|css)$/.test(path) && !/(^|\/)(node_modules|build|testing)\/|\.test\.tsx?$|vite\.config/.test(path),
  );
  const imports = sources.flatMap((path) => {
    const text = readFileSync(join(root, 'renderer', path), 'utf8');
    return [...text.matchAll(/(?:from|import|import\(|url\()\s*['"]([^'".][^'"]*)['"]/g)].map((match) => match[1] ?? '');
  });
  const names = imports.map((target) =>
    target
      .split('/')
      .slice(0, target.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return [...new Set(names)].filter((name) => lock[resolve('renderer', name) ?? ''] !== undefined);
}

const refOf = (path) => `${nameOf(path)}@${lock[path].version}`;

const bundled = () => bundledNames().map((name) => ['renderer', name]);

/** Every delivered package with those it needs, by its path in the lock file. */
const delivered = () =>
  reachable([
    ...['server', 'shared'].flatMap((folder) => Object.keys(lock[folder].dependencies ?? {}).map((name) => [folder, name])),
    ...bundled(),
  ]);

/** Packages that a list of [folder, name] leads to. */
function reachable(pending) {
  const found = new Map();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const path = resolve(...next);
    if (path === undefined || found.has(path) || lock[path].link) continue;
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = lock[path];
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional && !name.startsWith('@types/'));
    const needs = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
    found.set(path, needs);
    for (const name of needs) pending.push([path, name]);
  }
  const packages = [...found].map(([path, needs]) => ({ path, needs, ref: refOf(path), ...lock[path] }));
  // One version may be installed in several places.
  return [...new Map(packages.map((each) => [each.ref, each])).values()].sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

/**
 * Older packages state their licence in a list, which the lock file does not have.
 * @param {{ path: string; license?: string }} installed
 */
function licenceOf({ path, license }) {
  if (license !== undefined) return license;
  const { licenses = [] } = readJson(`${path}/package.json`);
  return licenses.map(({ type }) => type).join(' AND ') || 'none stated';
}

const isAllowed = (licence) =>
  licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => ALLOWED.has(name.trim())));

function page(packages) {
  const rows = packages.map((each) => `| \`${nameOf(each.path)}\` | ${each.version} | ${licenceOf(each)} |`);
  return [
    '# Licences',
    '',
    '<!-- Written by `npm run licences`; do not edit. -->',
    '',
    'The packages that the server needs at run time, and those that the console’s files hold. `npm run sbom` prints the same list as an SBOM in CycloneDX. A check refuses any licence but ' +
      `${[...ALLOWED].join(', ')}.`,
    '',
    '| Package | Version | Licence |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** As the formatter of the repository leaves it. */
async function formatted(text) {
  const prettier = await import('prettier');
  return prettier.format(text, { ...(await prettier.resolveConfig(join(root, PAGE))), filepath: PAGE });
}

function component({ path, version, integrity = '', ...rest }) {
  const name = nameOf(path);
  const [algorithm, digest = ''] = integrity.split('-');
  const licence = licenceOf({ path, ...rest });
  return {
    type: 'library',
    'bom-ref': refOf(path),
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
    licenses: [/ (OR|AND) /.test(licence) ? { expression: licence } : { license: { id: licence } }],
  };
}

/** CycloneDX 1.5, without a time or a random number: the same tree gives the same text. https://cyclonedx.org/docs/1.5/json/ */
function sbom(packages) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': manifest.name, name: manifest.name, version: manifest.version },
    },
    components: packages.map(component),
    dependencies: packages.map(({ path, needs, ref }) => ({
      ref,
      dependsOn: [
        ...new Set(
          needs
            .map((name) => resolve(path, name))
            .filter((found) => found !== undefined)
            .map(refOf),
        ),
      ].sort(),
    })),
  };
}

/** Packages whose code the built files of console and server hold. */
function builtIn() {
  const found = reachable(bundled());
  const paths = readJson('server/dist/bundled-packages.json').filter((path) => !found.some(({ ref }) => ref === refOf(path)));
  return [...found, ...paths.map((path) => ({ path, needs: [], ref: refOf(path), ...lock[path] }))].sort((a, b) =>
    a.ref < b.ref ? -1 : 1,
  );
}

/** Licence texts of packages: copies of them have to carry these. */
function notices(packages) {
  return packages
    .map((each) => {
      const folder = join(root, each.path);
      const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice|ofl)/i.test(name));
      const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').trim());
      return `${nameOf(each.path)} ${each.version} (${licenceOf(each)})\n\n${texts.join('\n\n')}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Sentences about what breaks a rule. */
async function problems(packages) {
  const withScript = Object.keys(lock)
    .filter((path) => lock[path].hasInstallScript)
    .map(nameOf);
  const listed = Object.keys(manifest.allowScripts);
  const running = listed.filter((name) => manifest.allowScripts[name]);
  const current = readFileSync(join(root, PAGE), 'utf8');
  return [
    ...packages.filter((each) => !isAllowed(licenceOf(each))).map((each) => `${nameOf(each.path)} has the licence ${licenceOf(each)}`),
    ...withScript.filter((name) => !listed.includes(name)).map((name) => `${name} has an install script that allowScripts does not name`),
    ...listed.filter((name) => !withScript.includes(name)).map((name) => `allowScripts names ${name}, which has no install script`),
    ...running.filter((name) => !MAY_RUN.includes(name)).map((name) => `allowScripts lets ${name} run its install script`),
    ...(current === (await formatted(page(packages))) ? [] : [`${PAGE} is stale: run npm run licences`]),
  ];
}

function audit() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: root, encoding: 'utf8' });
  const answer = JSON.parse(stdout || '{}');
  const counts = answer.metadata?.vulnerabilities;
  if (counts === undefined) {
    console.log('SKIPPED: npm audit has no answer from this registry; known vulnerabilities were not looked up.');
    return;
  }
  console.log(`npm audit: ${JSON.stringify(counts)}`);
  if (counts.high + counts.critical > 0) process.exitCode = 1;
}

const [mode] = process.argv.slice(2);
if (mode === '--audit') audit();
else if (mode === '--sbom') console.log(JSON.stringify(sbom(delivered()), null, 2));
else if (mode === '--notices') console.log(notices(builtIn()));
else if (mode === '--check') {
  const found = await problems(delivered());
  for (const sentence of found) console.error(sentence);
  if (found.length > 0) process.exitCode = 1;
} else writeFileSync(join(root, PAGE), await formatted(page(delivered())));
