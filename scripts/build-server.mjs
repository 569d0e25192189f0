// Builds the programs of the server into few files, in the folder that is named: svcd, svcctl, the quickstart, and what their threads load.
// A start reads a dozen files instead of 1,700: see docs/adr/0021-programs-are-few-files.md. Types are checked by `npm run check`, not here.
// `bundled-packages.json` in the folder names the packages that the files hold.
import { writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: build-server.mjs FOLDER');
  process.exit(2);
}

/** Native addons, packages that read files beside their own, and what needs these. */
const STAY_PACKAGES = ['@photostructure/sqlite', '@node-rs/argon2', 'node-pty', 'dockerode', '@grpc/grpc-js'];

/** Modules that several parts of a program load are one file, unless it is large. */
const SHARED = { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 20_000 };

/** Commands of svcctl are loaded one by one. Larger merges, or kinds that are merged with commands, make files import each other in a circle. */
const COMMANDS = [
  { name: 'kinds', test: (/** @type {string} */ id) => /^shared./.test(relative(root, id)), priority: 1 },
  { ...SHARED, entriesAwareMergeThreshold: 10_000 },
];

/**
 * Parts of the server's code. V8 compiles each file at once, and the C library keeps what this needed for good: a single file cost a server 14 MB.
 * A group holds what its modules import, except what an earlier group has, so that files do not import each other in a circle.
 */
const PARTS = Object.entries({
  undici: /node_modules.undici./,
  formats: /node_modules.(@modelcontextprotocol|yaml|re2js|ajv|ajv-formats)./,
  web: /node_modules.(express|ws)./,
  packages: /node_modules/,
  kinds: /^shared./,
  engine: /^server.engine./,
  adapters: /^server.(models|tools|sessions|memory)./,
  protocols: /^server.(a2a|mcp|triggers)./,
}).map(([name, paths], place, { length }) => ({
  ...SHARED,
  name,
  test: (/** @type {string} */ id) => paths.test(relative(root, id)),
  priority: length - place,
}));

/**
 * Entries by their path in the folder. Entries that are built together share files, in a folder with the name of the first; a thread has one file,
 * which holds what it needs alone.
 */
const BUILDS = [
  { entries: ['bin/svcd', 'bin/quickstart'], groups: [...PARTS, SHARED] },
  { entries: ['bin/svcctl'], groups: COMMANDS },
  { entries: ['manifest/yaml-thread'], groups: [SHARED] },
  { entries: ['tools/input-check-thread'], groups: [SHARED] },
  { entries: ['memory/sqlite/thread-program'], groups: [SHARED] },
];

/** V8 keeps a text with one character beyond Latin-1 at twice its size, which is 7 MB of a server: such characters are written as escapes. */
const ONE_BYTE = {
  name: 'one-byte',
  generateBundle(/** @type {unknown} */ _options, /** @type {import('vite').Rolldown.OutputBundle} */ files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = oneByte(file.code);
  },
};
const oneByte = (/** @type {string} */ code) =>
  code.replace(/[\u0100-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The server reads bodies itself. Express loads its body parser all the same, with 0.7 MB of character tables: an empty module takes its place. */
const BODY_PARSER = 'body-parser';
const EMPTY = `\0${BODY_PARSER}`;
const WITHOUT_BODY_PARSER = {
  name: 'without-body-parser',
  enforce: /** @type {const} */ ('pre'),
  resolveId: (/** @type {string} */ id) => (id === BODY_PARSER ? EMPTY : undefined),
  load: (/** @type {string} */ id) => (id === EMPTY ? 'export default {};' : undefined),
};

/** @param {typeof BUILDS[number]} program @param {string} outDir */
function options({ entries, groups }, outDir) {
  const resolve = { conditions: ['node'] };
  return {
    configFile: /** @type {const} */ (false),
    root: join(root, 'server'),
    logLevel: /** @type {const} */ ('warn'),
    plugins: [WITHOUT_BODY_PARSER, ONE_BYTE],
    resolve,
    ssr: { noExternal: /** @type {const} */ (true), external: STAY_PACKAGES, resolve },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: false,
      // Stacks of errors name functions as the sources do.
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        // `ssr.external` holds for installed packages only: an optional one may be absent.
        external: STAY_PACKAGES,
        input: Object.fromEntries(entries.map((entry) => [entry, join(root, 'server', `${entry}.ts`)])),
        output: {
          entryFileNames: '[name].js',
          // Names of shared files list all that load them.
          chunkFileNames: ({ name }) => `chunks/${basename(entries[0] ?? '')}/${name.split('~')[0]}-[hash].js`,
          codeSplitting: { groups },
          // V8 keeps the text of each file.
          comments: { legal: true, jsdoc: false, annotation: false },
        },
      },
    },
  };
}

/** The package that a module belongs to, by its path in package-lock.json. */
function packageOf(id) {
  const path = relative(root, id).split(sep).join('/');
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

const packages = new Set();
for (const program of BUILDS) {
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (await build(options(program, folder)));
  for (const id of output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))) packages.add(packageOf(id));
}
packages.delete(undefined);
writeFileSync(join(folder, 'bundled-packages.json'), `${JSON.stringify([...packages].sort(), null, 2)}\n`);
