// The built shell: the exact surface of the preload, run in a VM, and rules of safety read from the syntax tree of the built main process.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse, type AnyNode } from 'acorn';
import { describe, expect, test } from 'vitest';
import { CHANNELS } from './core/ipc.ts';

const out = join(import.meta.dirname, '..', 'out');
const read = (path: string) => readFileSync(join(out, path), 'utf8');
const preload = read('preload/index.cjs');
const main = read('main/index.js');

/** Every node of a tree. */
function* nodesOf(node: unknown): Generator<AnyNode> {
  if (Array.isArray(node)) {
    for (const each of node) yield* nodesOf(each);
  } else if (typeof node === 'object' && node !== null) {
    if ('type' in node) yield node as AnyNode;
    for (const [key, each] of Object.entries(node)) if (key !== 'loc') yield* nodesOf(each);
  }
}
const treeOf = (code: string, sourceType: 'script' | 'module') => [...nodesOf(parse(code, { ecmaVersion: 'latest', sourceType }))];
const mainTree = treeOf(main, 'module');

const keysOf = (value: object, prefix = ''): string[] =>
  Object.entries(value).flatMap(([key, each]) =>
    typeof each === 'object' && each !== null ? keysOf(each as object, `${prefix}${key}.`) : [`${prefix}${key}`],
  );

/** Runs the preload as Electron's sandbox does: `electron` is all that it can require. */
function runPreload(reply: object = { value: 'answer' }) {
  const exposed: Record<string, object> = {};
  const invoked: unknown[][] = [];
  const listeners = new Map<string, Set<unknown>>();
  const electron = {
    contextBridge: { exposeInMainWorld: (key: string, api: object) => void (exposed[key] = api) },
    ipcRenderer: {
      invoke: (...call: unknown[]) => {
        invoked.push(call);
        return Promise.resolve(reply);
      },
      on: (channel: string, listener: unknown) => void listeners.set(channel, new Set([...(listeners.get(channel) ?? []), listener])),
      removeListener: (channel: string, listener: unknown) => void listeners.get(channel)?.delete(listener),
    },
  };
  const required: string[] = [];
  const require = (name: string) => {
    required.push(name);
    if (name !== 'electron') throw new Error(`${name} is not available in the sandbox`);
    return electron;
  };
  runInNewContext(preload, { require, exports: {}, module: { exports: {} }, process: { platform: 'linux' } });
  return { api: exposed['svcDesktop'] as Record<string, any>, exposed, invoked, listeners, required };
}

describe('the preload', () => {
  test('requires electron and nothing else, and has no dynamic import', () => {
    expect(runPreload().required).toEqual(['electron']);
    const calls = treeOf(preload, 'script').filter(
      (node) => node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require',
    );
    expect(calls).toHaveLength(1);
    expect(treeOf(preload, 'script').some(({ type }) => type === 'ImportExpression')).toBe(false);
  });

  test('exposes the bridge with exactly these members', () => {
    const { api, exposed } = runPreload();
    expect(Object.keys(exposed)).toEqual(['svcDesktop']);
    expect(keysOf(api).sort()).toEqual(
      [
        'apiVersion',
        'platform',
        'getInfo',
        'getBackend',
        'onBackend',
        'restartBackend',
        'openLogs',
        'openExternal',
        'pickFiles',
        'saveFile',
        'profiles.list',
        'profiles.save',
        'profiles.remove',
        'profiles.select',
        'profiles.test',
        'notifications.getPrefs',
        'notifications.setPrefs',
        'work.get',
        'work.pause',
        'work.limit',
        'onWork',
        'updates.get',
        'updates.check',
        'updates.install',
        'onUpdate',
        'onDeepLink',
        'setTheme',
      ].sort(),
    );
    expect(api['apiVersion']).toBe(1);
  });

  test('calls channels of the table only, each with one payload', async () => {
    const { api, invoked } = runPreload();
    const methods = [api, api['profiles'], api['notifications'], api['work'], api['updates']].flatMap((part) =>
      Object.values(part as object),
    );
    for (const method of methods) if (typeof method === 'function') await method(() => undefined, new Uint8Array());
    expect(invoked.map(([channel]) => channel).sort()).toEqual(Object.keys(CHANNELS).sort());
    expect(invoked.every((call) => call.length === 2)).toBe(true);
  });

  test('returns the value of a reply, and throws the message of its error alone', async () => {
    const call = (reply: object) => (runPreload(reply).api['getInfo'] as () => Promise<unknown>)();
    expect(await call({ value: 7 })).toBe(7);
    await expect(call({ error: 'not now' })).rejects.toThrow(/^not now$/);
  });

  test('ends a subscription, and hands listeners the payload without the event', () => {
    const { api, listeners } = runPreload();
    const heard: unknown[] = [];
    const stop = (api['onBackend'] as (listener: (value: unknown) => void) => () => void)((value) => heard.push(value));
    for (const listener of listeners.get('svc:on-backend') ?? [])
      (listener as (event: object, value: unknown) => void)({ sender: 'main' }, { phase: 'ready' });
    expect(heard).toEqual([{ phase: 'ready' }]);
    stop();
    expect(listeners.get('svc:on-backend')?.size).toBe(0);
  });
});

describe('the built main process', () => {
  const objects = mainTree.filter((node) => node.type === 'ObjectExpression');
  const propertiesOf = (node: AnyNode): Map<string, AnyNode> =>
    new Map(
      node.type !== 'ObjectExpression'
        ? []
        : node.properties.flatMap((property) =>
            property.type === 'Property' && property.key.type === 'Identifier' ? [[property.key.name, property.value]] : [],
          ),
    );
  /** Minified `true` is `!0`. */
  const isTrue = (node: AnyNode | undefined): boolean =>
    (node?.type === 'Literal' && node.value === true) ||
    (node?.type === 'UnaryExpression' && node.operator === '!' && node.argument.type === 'Literal' && node.argument.value === 0);
  const isFalse = (node: AnyNode | undefined): boolean =>
    (node?.type === 'Literal' && node.value === false) ||
    (node?.type === 'UnaryExpression' && node.operator === '!' && node.argument.type === 'Literal' && node.argument.value === 1);

  test('has one set of web preferences, isolated, sandboxed and without Node', () => {
    const preferences = objects.map(propertiesOf).filter((properties) => properties.has('contextIsolation') || properties.has('sandbox'));
    expect(preferences).toHaveLength(1);
    const [options = new Map<string, AnyNode>()] = preferences;
    for (const key of ['contextIsolation', 'sandbox']) expect(isTrue(options.get(key)), key).toBe(true);
    for (const key of ['nodeIntegration', 'nodeIntegrationInSubFrames', 'nodeIntegrationInWorker', 'webviewTag'])
      expect(isFalse(options.get(key)), key).toBe(true);
  });

  test('turns no protection off anywhere', () => {
    const forbidden = [
      'webSecurity',
      'allowRunningInsecureContent',
      'experimentalFeatures',
      'enableBlinkFeatures',
      'bypassCSP',
      'enableRemoteModule',
    ];
    const found = objects.flatMap((object) => forbidden.filter((key) => propertiesOf(object).has(key)));
    expect(found).toEqual([]);
    const risky = ['loadFile(', 'file:///', 'no-sandbox', 'disable-web-security', 'executeJavaScript'];
    expect(risky.filter((text) => main.includes(text))).toEqual([]);
  });

  test('makes windows in one place, and registers calls in one place', () => {
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!\.test)\.ts$/.test(path));
    const matches = (pattern: RegExp) =>
      sources.flatMap((path) => (readFileSync(join(import.meta.dirname, path), 'utf8').match(pattern) ?? []).map(() => path));
    expect(matches(/new BrowserWindow\(/g)).toEqual(['platform.ts']);
    expect(matches(/ipcMain\.\w+\(/g)).toEqual(['platform.ts']);
    expect(matches(/from 'electron'/g).sort()).toEqual(['main.ts', 'platform.ts', 'preload.ts']);
  });

  test('enables the sandbox, denies webviews and windows, and answers permissions and devices', () => {
    for (const call of [
      'enableSandbox',
      'setPermissionRequestHandler',
      'setPermissionCheckHandler',
      'setDevicePermissionHandler',
      'setWindowOpenHandler',
    ])
      expect(main.includes(call), call).toBe(true);
    for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'])
      expect(main.includes(event), event).toBe(true);
  });

  test('holds valid modules, those that are loaded later included', () => {
    const modules = readdirSync(join(out, 'main'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'));
    expect(modules.some((path) => path.includes('owner-lock'))).toBe(true);
    for (const path of modules)
      expect(() => parse(read(join('main', path)), { ecmaVersion: 'latest', sourceType: 'module' }), path).not.toThrow();
  });

  test('is minified, has no source maps, and imports nothing but electron and Node', () => {
    expect(main.length / main.split('\n').length).toBeGreaterThan(1_000);
    expect(
      readdirSync(join(out, 'main'))
        .concat(readdirSync(join(out, 'preload')))
        .filter((name) => name.endsWith('.map')),
    ).toEqual([]);
    const imports = mainTree.flatMap((node) => (node.type === 'ImportDeclaration' ? [String(node.source.value)] : []));
    expect(imports.filter((source) => source !== 'electron' && !source.startsWith('node:') && !source.startsWith('./'))).toEqual([]);
  });
});
