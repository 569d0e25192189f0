// Packaging of the app: the configuration of electron-builder, fuses, icons, and the layout of what is packaged.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, any>;
const config = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) as Record<string, any>;
// The library of electron-builder, found from there.
const requireOfBuilder = createRequire(require.resolve('electron-builder'));
const builder = requireOfBuilder('app-builder-lib/out/util/config/config') as {
  validateConfiguration(config: object, log: object): Promise<void>;
};
const validate = (given: object) => builder.validateConfiguration(given, { add: () => undefined, isEnabled: false });

describe('the configuration of electron-builder', () => {
  test('fits its schema, which refuses a misspelled fuse', async () => {
    await expect(validate(structuredClone(config))).resolves.toBeUndefined();
    await expect(validate({ ...structuredClone(config), electronFuses: { runAsNod: false } })).rejects.toThrow('electronFuses');
  });

  test('gives deb and rpm what they need, and Linux a type to open bundles by', async () => {
    const { name, version, description, license, main, desktopName, ...rest } = readJson('package.json');
    const metadata = { name, version, description, license, main, desktopName, ...config['extraMetadata'] };
    const info = { metadata, devMetadata: rest, notNullDevMetadata: rest, config, repositoryInfo: Promise.resolve(null) };
    const { AppInfo } = requireOfBuilder('app-builder-lib/out/appInfo') as { AppInfo: new (...given: unknown[]) => object };
    const appInfo = new AppInfo(info, null, null);
    const packager = {
      ...{ info, appInfo, config, platformSpecificBuildOptions: config['linux'], fileAssociations: config['fileAssociations'] },
      ...{ executableName: 'svc-desktop', getTempFile: () => Promise.resolve(join(tmpdir(), `svc-mime-${process.pid}`)) },
    };
    const { default: FpmTarget } = requireOfBuilder('app-builder-lib/out/targets/FpmTarget') as {
      default: { prototype: { computeFpmMetaInfoOptions(): Promise<object> } };
    };
    const given = { packager, options: config['linux'] as object };
    expect(await FpmTarget.prototype.computeFpmMetaInfoOptions.call(given)).toMatchObject({
      maintainer: config['linux'].maintainer,
      url: config['extraMetadata'].homepage,
    });
    const { LinuxTargetHelper } = requireOfBuilder('app-builder-lib/out/targets/LinuxTargetHelper') as {
      LinuxTargetHelper: new (given: object) => { computeDesktopEntry(options: object): Promise<string> };
    };
    const entry = await new LinuxTargetHelper(packager).computeDesktopEntry(config['linux']);
    expect(entry).toContain('MimeType=application/x-svcbundle;');
  });

  test('sets exactly these fuses', () => {
    expect(config['electronFuses']).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    });
  });

  test('names the app on Windows as its shortcut does', () => {
    expect(readFileSync(join(root, 'electron/main.ts'), 'utf8')).toContain(`app.setAppUserModelId('${config['appId']}')`);
  });

  test('packages the Electron that the lock file names, for all systems, and claims no .yaml', () => {
    expect(config['electronVersion']).toBe(readJson('package.json')['devDependencies'].electron);
    expect([config['mac'].target, config['win'].target, config['linux'].target]).toEqual([
      ['dmg', 'zip'],
      ['nsis'],
      ['AppImage', 'deb', 'rpm'],
    ]);
    expect(config['fileAssociations'].map(({ ext }: { ext: string }) => ext)).toEqual(['svcbundle']);
  });

  test('has a known end of support for its major version of Electron, which verify:electron compares with today', () => {
    const major = Number.parseInt(readJson('package.json')['devDependencies'].electron, 10);
    const script = `import { supportEnds } from './scripts/electron-binary.mjs'; console.log([${major}, 45, 1].map(supportEnds).join())`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
    expect(stdout.trim()).toMatch(/^\d{4}-\d\d-\d\d,2027-04-07,$/);
  });

  test('signs by hooks that exist and that skip without credentials', async () => {
    const { PATH } = process.env;
    for (const [hook, argument] of [
      [config['afterSign'], "{ electronPlatformName: 'darwin' }"],
      [config['win'].signtoolOptions.sign, "{ path: '/nonexistent.exe' }"],
    ] as const) {
      const script = `require(${JSON.stringify(join(root, hook as string))})(${argument})`;
      const { status, stderr } = spawnSync(process.execPath, ['-e', script], { env: { PATH }, encoding: 'utf8' });
      expect([status, stderr.startsWith('SKIPPED: ')], stderr).toEqual([0, true]);
    }
  });
});

describe('icons', () => {
  const icon = (name: string) => readFileSync(join(root, 'resources', 'build', name));

  test.each([
    ['icon.png', 1024],
    ['trayTemplate.png', 16],
    ['trayTemplate@2x.png', 32],
    ['tray-attentionTemplate.png', 16],
    ['tray-attentionTemplate@2x.png', 32],
    ['tray.png', 16],
    ['tray@2x.png', 32],
    ['tray-attention.png', 16],
    ['tray-attention@2x.png', 32],
  ])('%s is a square PNG of %d pixels', (name, size) => {
    const data = icon(name);
    expect(data.subarray(1, 4).toString()).toBe('PNG');
    expect([data.readUInt32BE(16), data.readUInt32BE(20)]).toEqual([size, size]);
  });

  test('hold all sizes, and the tray shows whether approvals wait', () => {
    expect(icon('icon.ico').readUInt16LE(4)).toBe(4);
    const icns = icon('icon.icns');
    expect([icns.subarray(0, 4).toString(), icns.readUInt32BE(4)]).toEqual(['icns', icns.length]);
    expect(icon('trayTemplate.png').equals(icon('tray-attentionTemplate.png'))).toBe(false);
    expect(icon('tray.png').equals(icon('tray-attention.png'))).toBe(false);
  });
});

describe('the staged app', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stage-'));
  const stage = join(folder, 'desktop');
  beforeAll(() => {
    for (const args of [
      ['scripts/pack.mjs', '--to', folder],
      ['scripts/desktop-stage.mjs', '--no-install', '--from', join(folder, 'package'), '--to', stage],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('holds main, preload, server, console and blueprints', () => {
    const needed = [
      'out/main/index.js',
      'out/main/svcd.js',
      'out/preload/index.cjs',
      'dist/bin/svcd.js',
      'console/index.html',
      'resources/blueprints',
      'checks/thread.mjs',
    ];
    expect(needed.filter((path) => !existsSync(join(stage, path)))).toEqual([]);
    const { main, desktopName, dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(stage, 'package.json'), 'utf8'),
    ) as Record<string, any>;
    expect({ main, desktopName }).toEqual({ main: 'out/main/index.js', desktopName: 'svc-desktop.desktop' });
    expect(Object.keys(dependencies as object)).toContain('@photostructure/sqlite');
    expect(Object.keys(optionalDependencies as object)).toContain('node-pty');
    expect(Object.keys(dependencies as object).filter((name) => /electron|playwright|vite/.test(name))).toEqual([]);
  });

  test('holds svcctl outside of the archive, where Node.js runs it without the packages of the app', () => {
    expect(config['extraResources']).toContainEqual({ from: 'out/desktop/svcctl', to: 'svcctl' });
    const moved = join(folder, 'resources', 'svcctl');
    cpSync(join(stage, 'svcctl'), moved, { recursive: true });
    for (const args of [['--version'], ['init']]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(moved, 'bin/svcctl.mjs'), ...args], { encoding: 'utf8' });
      expect([status, stdout !== ''], stderr).toEqual([0, true]);
    }
  });

  test('holds no sources, source maps, tests, environment files or icons of the build', () => {
    const files = readdirSync(stage, { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /\.map$|\.env|^e2e|(^|\/)testing\/|\.test\.|^resources\/build/.test(path))).toEqual([]);
    expect(files.filter((path) => /(?<!\.d)\.tsx?$/.test(path))).toEqual([]);
  });

  test('is covered by the patterns of the configuration', () => {
    const covered = new Set((config['files'] as string[]).filter((each) => !each.startsWith('!')).map((each) => each.replace('/**', '')));
    expect(readdirSync(stage).filter((name) => !covered.has(name) && name !== 'README.md' && name !== 'svcctl')).toEqual([]);
  });
});
