// The build of the programs: few files, and moved to their place while others start from there.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { benchBundle } from '../../bench/ui/bundle.ts';
import { projectDirectory } from '../../server/installation.ts';

const root = projectDirectory();
const directory = mkdtempSync(join(tmpdir(), 'svc-build-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Files that a program loads, by the coverage that Node.js writes when it ends. */
function loadedFiles(program: string, args: readonly string[]): string[] {
  const coverage = mkdtempSync(join(directory, 'coverage-'));
  const { status } = spawnSync(process.execPath, [join(root, 'server/dist/bin', program), ...args], {
    env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: coverage },
  });
  expect(status).toBe(0);
  return readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  });
}

test.skipIf(!existsSync('/dev/full'))('svcctl ends as usual with an unwritable stderr', () => {
  const full = openSync('/dev/full', 'w');
  const unknown = ['get', 'tasks', '--server', 'http://127.0.0.1:1'];
  const { status } = spawnSync(process.execPath, [join(root, 'server/dist/bin/svcctl.js'), ...unknown], {
    stdio: ['ignore', 'pipe', full],
  });
  closeSync(full);
  expect(status).toBe(3);
});

test.skipIf(!existsSync('/dev/full'))('svcctl says that its output could not be written', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'server/dist/bin/svcctl.js'), '--help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^error: the output could not be written whole: ENOSPC/) });
});

test.each([
  ['svcd.js', ['--version'], 25],
  ['svcctl.js', ['version', '--client'], 20],
  ['svcctl.js', ['get', '--help'], 20],
  ['quickstart.js', ['--help'], 25],
] as const)('%s %j loads few files', (program, args, most) => {
  const loaded = loadedFiles(program, args);
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded.length).toBeLessThanOrEqual(most);
});

test('files of a program import each other in no circle, in which one would read constants of another too early', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'out/server.build.json'), 'utf8')) as { files: string[] };
  const imports = (path: string) =>
    [...readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?:.* from )?"(\.[^"]+)";$/gm)].map(([, to = '']) =>
      join(dirname(path), to),
    );
  const unfinished = new Set(files.filter((file) => file.endsWith('.js')).map((file) => join(root, 'server/dist', file)));
  expect(unfinished.size).toBeGreaterThan(50);
  const finish = (path: string, via: readonly string[]): void => {
    expect(via).not.toContain(path);
    if (!unfinished.has(path)) return;
    for (const next of imports(path)) finish(next, [...via, path]);
    unfinished.delete(path);
  };
  for (const path of [...unfinished]) finish(path, []);
});

test('every file loaded at start is small enough to compile without a lasting memory cost', () => {
  const sizes = loadedFiles('svcd.js', ['--version']).map((url) => statSync(new URL(url)).size);
  expect(Math.max(...sizes)).toBeLessThan(1_000_000);
});

test('no screen of the console loads more than its limit', () => {
  const limited = benchBundle().filter(({ referenceName }) => referenceName === 'limit');
  expect(limited.length).toBeGreaterThan(3);
  expect(limited.filter(({ value, reference = 0 }) => value > reference)).toEqual([]);
});

test('errors of the programs name their functions', () => {
  const text = readFileSync(join(root, 'server/dist/bin/svcd.js'), 'utf8');
  expect(text).toContain('// server/bin/supervised.ts');
  expect(text).toContain('async function supervise(');
});

test('programs are texts of one byte for each character, which V8 keeps at half the size', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'out/server.build.json'), 'utf8')) as { files: string[] };
  const programs = files.filter((file) => file.endsWith('.js'));
  expect(programs.length).toBeGreaterThan(10);
  expect(programs.filter((file) => /[\u0100-\uffff]/.test(readFileSync(join(root, 'server/dist', file), 'utf8')))).toEqual([]);
});

test('the server is built without its optional packages, which not every machine can compile', () => {
  const checkout = mkdtempSync(join(directory, 'no-addon-'));
  for (const file of ['scripts/build-server.mjs', 'tsconfig.base.json']) cpSync(join(root, file), join(checkout, file));
  cpSync(join(root, 'server'), join(checkout, 'server'), { recursive: true, filter: (path) => path !== join(root, 'server/dist') });
  symlinkSync(join(root, 'shared'), join(checkout, 'shared'));
  mkdirSync(join(checkout, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== 'node-pty'))
    symlinkSync(join(root, 'node_modules', name), join(checkout, 'node_modules', name));
  const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts/build-server.mjs'), join(checkout, 'built')], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(existsSync(join(checkout, 'built/bin/svcd.js'))).toBe(true);
}, 120_000);

describe('a program of a checkout', () => {
  const checkout = mkdtempSync(join(directory, 'checkout-'));
  for (const file of ['server/bin/svcctl.mjs', 'server/bin/require-node.mjs', 'scripts/ensure-built.mjs', 'scripts/place-build.mjs'])
    cpSync(join(root, file), join(checkout, file), { recursive: true });
  const build = `import { mkdirSync, writeFileSync } from 'node:fs';
    const to = process.argv[2] + '/bin';
    mkdirSync(to);
    for (const name of ['svcd', 'svcctl', 'quickstart']) writeFileSync(to + '/' + name + '.js', 'console.log("started")');`;
  for (const [file, text] of [
    ['scripts/build-server.mjs', build],
    ['shared/source.ts', ''],
    ['package-lock.json', '{}'],
    ['node_modules/vite/bin/vite.js', ''],
  ] as const) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  }
  const start = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, 'server/bin/svcctl.mjs'), ...args], {
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  const started = { status: 0, stdout: 'started\n' };

  test('builds once, whatever its arguments are', () => {
    expect(start()).toEqual({ ...started, stderr: 'Building the server (first start only) …\n' });
    expect(start('export', '--all', '--install')).toEqual({ ...started, stderr: '' });
  });

  test('refuses a Node.js that is older than the package says', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? [];
    const startOn = (version: string) => {
      const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
      const { status, stderr } = spawnSync(process.execPath, ['--import', old, join(checkout, 'server/bin/svcctl.mjs')], {
        encoding: 'utf8',
      });
      return { status, stderr };
    };
    expect(startOn(`${major}.${minor}.0`)).toEqual({ status: 0, stderr: '' });
    for (const version of ['18.20.8', `${major}.${Number(minor) - 1}.0`])
      expect(startOn(version)).toEqual({
        status: 1,
        stderr: expect.stringMatching(`^Node.js ${version} is too old: install ${major}.${minor} `),
      });
  });

  test('starts the last build where a newer one cannot be written', () => {
    start();
    rmSync(join(checkout, 'out'), { recursive: true });
    writeFileSync(join(checkout, 'out'), 'a file in the place of the folder');
    const result = start();
    expect(result).toMatchObject(started);
    expect(result.stderr).toMatch(/^Building the server …\nerror: .*\nIt could not be built; the last build starts\.\n$/);
  });
});

describe('moving a build to its place', async () => {
  const { placeBuild } = (await import(join(root, 'scripts/place-build.mjs'))) as {
    placeBuild(built: string, target: string, entries: readonly string[]): string[];
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const built = (chunk: string) => {
    const folder = mkdtempSync(join(directory, 'built-'));
    write(join(folder, 'bin/main.js'), `import '../chunks/${chunk}.js'`);
    write(join(folder, 'chunks', `${chunk}.js`), chunk);
    return folder;
  };
  const place = (chunk: string, target: string) => placeBuild(built(chunk), target, ['bin/main.js']);

  test('keeps files of a build of the last hour, and removes older ones', () => {
    const target = mkdtempSync(join(directory, 'target-'));
    write(join(target, 'types/index.d.ts'), '');
    utimesSync(join(target, 'types/index.d.ts'), 1, 1);
    expect(place('first', target)).toEqual(['chunks/first.js', 'bin/main.js']);
    place('second', target);
    expect(readdirSync(join(target, 'chunks'))).toEqual(['first.js', 'second.js']);
    utimesSync(join(target, 'chunks/first.js'), 1, 1);
    place('third', target);
    expect(readdirSync(join(target, 'chunks'))).toEqual(['second.js', 'third.js']);
    expect(existsSync(join(target, 'types/index.d.ts'))).toBe(true);
  });

  test('replaces the entry after the files that it names', () => {
    const target = mkdtempSync(join(directory, 'target-'));
    place('first', target);
    // A file cannot replace a folder.
    mkdirSync(join(target, 'chunks/second.js'));
    expect(() => place('second', target)).toThrow();
    expect(readFileSync(join(target, 'bin/main.js'), 'utf8')).toContain('first');
  });
});
