// The app over a scripted server and a platform without windows: what it shows, accepts and refuses in each state of its server.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FromServer, ToServer } from '@svc/shared/control';
import type { BackendState } from '@svc/shared/desktop-api';
import { Desktop } from './desktop.ts';
import type { ChannelName } from './ipc.ts';
import type { MenuItem, OnMenuCommand, TrayTemplate } from './menu.ts';
import type { AppWindow, ElectronApi, WindowEvents } from './platform-port.ts';
import { BOOT_URL, type Sender } from './security.ts';
import type { ChildEvents } from './supervisor.ts';

const VERSION = '1.2.3';
const ORIGIN = 'http://127.0.0.1:4000';
const FATAL = { type: 'fatal', code: 'BAD_CONFIG', message: 'a wrong setting', hint: 'Correct it.' } as const;

/** Becomes ready at once, signs the window in, and ends on request. */
class FakeServer {
  readonly events: ChildEvents;
  readonly pid = 1;
  /** Signs no window in. */
  silent = false;
  constructor(events: ChildEvents) {
    this.events = events;
    queueMicrotask(() => this.say({ type: 'hello', version: VERSION, protocol: 1, pid: 1 }, { type: 'ready', origin }));
  }
  say(...messages: FromServer[]): void {
    for (const message of messages) this.events.onMessage(message);
  }
  send(message: ToServer): void {
    if (message.type === 'mint-ui-session' && !this.silent)
      this.say({ type: 'ui-session', nonce: message.nonce, cookie: { name: 'svc_ui', value: 'ui_x' } });
    if (message.type === 'shutdown') this.events.onExit(0);
  }
  kill(): void {
    this.events.onExit(null);
  }
}

let directory: string;
/** Address of the servers that start. */
let origin: string;
/** Parts of the platform that a test replaces. */
let changed: Partial<ElectronApi>;
let servers: FakeServer[];
let states: BackendState[];
/** Actions that wait, by their time: none happens by itself. */
let timers: Map<number, () => void>;
let onState: (state: BackendState) => void;
let shown: string;
let badge: number;
let relaunched: (readonly string[])[];
let tray: TrayTemplate;
let confirmed: string[];
let answer: boolean;
let command: OnMenuCommand;
let quit: () => Promise<void>;
let handlers: Map<string, (sender: Sender, payload: unknown) => Promise<unknown>>;

const window: AppWindow = {
  load: (url) => Promise.resolve(void (shown = url)),
  reload: () => undefined,
  url: () => shown,
  send(channel, payload) {
    if (channel !== 'svc:on-backend') return;
    states.push(payload as BackendState);
    onState(payload as BackendState);
  },
  show: () => undefined,
  isFocused: () => false,
  bounds: () => ({ bounds: { x: 0, y: 0, width: 1, height: 1 }, maximized: false }),
  maximize: () => undefined,
  centre: () => undefined,
};

function platform(): ElectronApi {
  return {
    platform: 'linux',
    version: VERSION,
    packaged: false,
    argv: [],
    env: {},
    locale: () => 'en',
    paths: { userData: directory, logs: join(directory, 'logs'), preload: '', server: '', icons: '' },
    lockInstance: () => true,
    onOpenUrl: () => undefined,
    onOpenFile: () => undefined,
    onActivate: () => undefined,
    onAllWindowsClosed: () => undefined,
    onQuit: (listener) => void (quit = listener),
    whenReady: () => Promise.resolve(),
    quit: () => undefined,
    relaunch: (args) => void relaunched.push(args),
    openWindow: () => window,
    screens: () => [],
    guard: () => undefined,
    setCookie: () => Promise.resolve(),
    handle: (channel, listener) => void handlers.set(channel, listener),
    keychain: { isAvailable: () => true, backend: () => 'system', seal: (text) => Buffer.from(text), open: (sealed) => sealed.toString() },
    updater: () => undefined,
    openExternal: () => Promise.resolve(),
    openPath: () => Promise.resolve(),
    confirm: ({ message, detail }) => Promise.resolve((confirmed.push(`${message} ${detail}`), answer)),
    pickFiles: () => Promise.resolve([]),
    pickTarget: () => Promise.resolve(undefined),
    setTheme: () => undefined,
    canAct: true,
    notify: () => () => undefined,
    setBadge: (count) => void (badge = count),
    setMenu: (_items, onCommand) => void (command = onCommand),
    setTray: (template) => void (tray = template),
    onPower: () => undefined,
    registerProtocol: () => undefined,
    ...changed,
  };
}

/** The app with a ready server and its console in the window. */
async function start(page = `${ORIGIN}/`): Promise<FakeServer> {
  const desktop = new Desktop(platform(), {
    createHost: () =>
      Promise.resolve({
        start(events) {
          const server = new FakeServer(events);
          servers.push(server);
          return server;
        },
      }),
    timers: { now: () => 0, after: (ms, action) => (timers.set(ms, action), () => undefined) },
    environment: { keyNames: () => [], readKey: () => Promise.resolve(null) },
  });
  await desktop.start();
  await expect.poll(() => shown).toBe(page);
  return server();
}
const server = (): FakeServer => servers.at(-1) ?? expect.unreachable();
const call = (channel: ChannelName, payload?: unknown, url = shown) =>
  handlers.get(channel)?.({ url, isMainFrame: true }, payload) ?? expect.unreachable();
const labels = (items: readonly MenuItem[]) => items.flatMap((item) => ('label' in item ? [item.label] : []));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-desktop-'));
  mkdirSync(join(directory, 'server'));
  writeFileSync(join(directory, 'server', 'svc.db'), 'data');
  origin = ORIGIN;
  servers = [];
  changed = {};
  states = [];
  timers = new Map();
  onState = () => undefined;
  shown = '';
  badge = 0;
  relaunched = [];
  confirmed = [];
  answer = false;
  handlers = new Map();
});
afterEach(async () => {
  await quit();
  rmSync(directory, { recursive: true, force: true });
});

test('approvals and runs of a server that failed are counted no longer', async () => {
  const failing = await start();
  failing.say({ type: 'badge', count: 2 }, { type: 'badge', count: 1, profile: 'eu' }, { type: 'busy', runningTasks: 4 });
  expect([badge, labels(tray.items)]).toEqual([3, expect.arrayContaining(['4 active runs', '2 approvals wait']) as string[]]);
  failing.say(FATAL);
  failing.events.onExit(78);
  expect([badge, labels(tray.items)]).toEqual([0, expect.arrayContaining(['The server is not running', 'No approvals wait']) as string[]]);
  command('reset');
  await expect.poll(() => confirmed.length).toBe(1);
  expect(confirmed[0]).not.toContain('active');
});

test('the console may call the app while its server restarts, and a page of another origin may not', async () => {
  const crashed = await start();
  crashed.events.onExit(1);
  expect(await call('svc:get-backend')).toMatchObject({ phase: 'backoff', origin: null });
  expect(await call('svc:notifications-get')).toMatchObject({ enabled: true });
  await expect(call('svc:get-backend', undefined, 'http://127.0.0.1:4001/')).rejects.toThrow("only the app's own page");
});

test('a console that the boot page has replaced may call nothing', async () => {
  const failing = await start();
  failing.say(FATAL);
  failing.events.onExit(78);
  expect(await call('svc:get-backend', undefined, BOOT_URL)).toMatchObject({ phase: 'failed' });
  await expect(call('svc:get-backend', undefined, `${ORIGIN}/`)).rejects.toThrow("only the app's own page");
});

test.each([
  ['back-up', 'copying', 'The data is being copied'],
  ['reset', 'resetting', 'The data is being reset'],
] as const)('nothing starts the server while %s works on its data, and the window shows the work', async (name, phase, sentence) => {
  await start();
  answer = true;
  states = [];
  const refusals: Promise<string>[] = [];
  onState = (state) => {
    if (state.phase === 'starting') onState = () => undefined;
    else for (const mode of ['normal', 'safe', 'attach']) refusals.push(call('svc:restart-backend', mode, BOOT_URL).then(String, String));
  };
  command(name);
  await expect.poll(() => states.at(-1)?.phase).toBe('ready');
  expect(states.map((state) => state.phase)).toEqual(['draining', phase, 'starting', 'ready']);
  expect(servers).toHaveLength(2);
  expect(await Promise.all(refusals)).toEqual(Array(6).fill(`Error: ${sentence}: wait for the end`));
  expect(existsSync(join(directory, 'server', 'svc.db'))).toBe(name === 'back-up');
});

test('a restart that began before leads to one start, after the work on all data', async () => {
  await start();
  states = [];
  const restarted = call('svc:restart-backend', 'safe');
  command('back-up');
  await restarted;
  await expect.poll(() => states.at(-1)?.phase).toBe('ready');
  expect([servers.length, states.filter(({ phase }) => phase === 'starting').length]).toEqual([2, 1]);
});

test('data whose replacement was interrupted is recovered before the server starts', async () => {
  mkdirSync(join(directory, 'server', '.replacing'));
  renameSync(join(directory, 'server', 'svc.db'), join(directory, 'server', '.replacing', 'svc.db'));
  await start();
  expect([servers.length, readdirSync(join(directory, 'server')).filter((name) => !name.includes('lock'))]).toEqual([1, ['svc.db']]);
});

test('a quit waits for the work on all data, and no server starts after it', async () => {
  await start();
  command('back-up');
  await quit();
  expect(servers).toHaveLength(1);
  expect(readdirSync(join(directory, 'backups'))).toHaveLength(1);
  expect(await call('svc:get-backend', undefined, BOOT_URL)).toMatchObject({ phase: 'stopped' });
});

test('a quit that takes longer than a second shows what it waits for', async () => {
  const running = await start();
  running.send = () => undefined;
  const ended = quit();
  expect(shown).toBe(`${ORIGIN}/`);
  timers.get(1_000)?.();
  expect(shown).toBe(BOOT_URL);
  await expect.poll(() => call('svc:get-backend')).toMatchObject({ phase: 'draining' });
  running.events.onExit(0);
  await ended;
});

test('failures of files, folders and addresses are reported in a dialog', async () => {
  let openFile: (path: string) => void = () => undefined;
  changed = {
    onOpenFile: (listener) => void (openFile = listener),
    openPath: () => Promise.reject(new Error('no program opens folders')),
    openExternal: () => Promise.reject(new Error('no program opens https')),
    pickTarget: () => Promise.resolve(join(directory, 'absent', 'file')),
  };
  await start();
  answer = true;
  command('open-logs');
  await expect.poll(() => confirmed).toEqual(['The logs were not opened no program opens folders']);
  openFile(join(directory, 'absent.svcbundle'));
  await expect.poll(() => confirmed[1]).toMatch(/^The file was not opened ENOENT/);
  expect(await call('svc:save-file', ['file', new Uint8Array(1)])).toBe(false);
  expect(confirmed[2]).toMatch(/^The file was not saved ENOENT/);
  expect(await call('svc:open-external', 'https://a.example/')).toBe(false);
  expect(confirmed.at(-1)).toBe('The address was not opened no program opens https');
});

test('the name that is offered for a file has no directory, and keeps its extension', async () => {
  const offered: string[] = [];
  changed = {
    pickTarget: (name) => {
      offered.push(name);
      return Promise.resolve(undefined);
    },
  };
  await start();
  answer = true;
  for (const name of ['../.hidden', `${'é'.repeat(180)}.svcbundle`, '...']) await call('svc:save-file', [name, new Uint8Array(1)]);
  expect(offered).toEqual(['_.hidden', `${'é'.repeat(110)}.svcbundle`, 'file']);
});

test('a command that the app refuses is reported in a dialog', async () => {
  await start();
  onState = ({ phase }) => phase === 'copying' && command('restart-server');
  command('back-up');
  await expect.poll(() => confirmed).toEqual(['The app did not do this The data is being copied: wait for the end']);
  await expect.poll(() => states.at(-1)?.phase).toBe('ready');
});

test('the page that was open is shown by a server that restarts at another address', async () => {
  const page = '/n/ops/tasks/a?tab=trace#step-2';
  const ended = await start();
  shown = `${ORIGIN}${page}`;
  origin = 'http://127.0.0.1:4001';
  ended.events.onExit(1);
  // Another program may have its port now.
  command('reload');
  expect(shown).toBe(BOOT_URL);
  await call('svc:restart-backend');
  await expect.poll(() => shown).toBe(`${origin}${page}`);
});

test.each([
  ['back-up', '/n/ops/tasks/a?tab=trace'],
  ['reset', '/'],
] as const)('the window returns after %s to %s', async (name, page) => {
  await start();
  answer = true;
  shown = `${ORIGIN}/n/ops/tasks/a?tab=trace`;
  command(name);
  await expect.poll(() => shown).toBe(BOOT_URL);
  await expect.poll(() => shown).toBe(`${ORIGIN}${page}`);
});

test('a link for this machine that arrives while its server is down is not given to the page of another server', async () => {
  let openUrl: (url: string) => void = () => undefined;
  changed = { onOpenUrl: (listener) => void (openUrl = listener) };
  const crashed = await start();
  await call('svc:profiles-save', EU);
  await call('svc:profiles-select', 'eu');
  crashed.events.onExit(1);
  openUrl('svc://open/default/Agent/a');
  expect(shown).toBe(BOOT_URL);
  await call('svc:restart-backend');
  await expect.poll(() => shown).toBe(`${ORIGIN}/`);
});

test('limits of the work are refused as a whole while an update copies the data', async () => {
  writeFileSync(join(directory, 'desktop.json'), JSON.stringify({ updateUrl: 'https://updates.example/' }));
  const install = (onFailed: (error: unknown) => void) => onFailed(new Error('refused'));
  changed = { updater: () => ({ check: () => Promise.resolve('2.0.0'), download: () => Promise.resolve(), install }) };
  await start();
  await call('svc:updates-check');
  const limits = { maxConcurrentTasks: 2, containerMemoryMiB: null, containerCpus: null };
  const refusals: Promise<string>[] = [];
  onState = ({ phase }) => void (phase === 'copying' && refusals.push(call('svc:work-limit', limits, `${ORIGIN}/`).then(String, String)));
  await call('svc:updates-install');
  await expect.poll(() => states.at(-1)?.phase).toBe('ready');
  expect(await Promise.all(refusals)).toEqual(['Error: The data is being copied: wait for the end']);
  expect(stored()).toMatchObject({ maxConcurrentTasks: null });
  await call('svc:work-limit', limits);
  expect(stored()).toMatchObject({ maxConcurrentTasks: 2 });
});

test('an export that waits for a server is reported once the server has ended', async () => {
  const server = await start();
  server.silent = true;
  command('export-all');
  server.events.onExit(1);
  await expect.poll(() => confirmed).toEqual(['Nothing was exported The server of this app ended']);
});

test('a server stays selected while the settings cannot be written', async () => {
  await start();
  await call('svc:profiles-save', { id: 'eu', name: 'EU', origin: 'https://eu.example' });
  rmSync(join(directory, 'desktop.json'));
  mkdirSync(join(directory, 'desktop.json'));
  await call('svc:profiles-select', 'eu');
  expect(shown).toBe(`${ORIGIN}/p/eu/`);
});

const EU = { id: 'eu', name: 'EU', origin: 'https://eu.example' };
const stored = () => JSON.parse(readFileSync(join(directory, 'desktop.json'), 'utf8')) as Record<string, unknown>;

test('one address is shown for confirmation at a time', async () => {
  const answers: ((yes: boolean) => void)[] = [];
  changed = { confirm: () => new Promise((resolve) => answers.push(resolve)) };
  await start();
  const first = call('svc:open-external', 'https://a.example/');
  expect(await call('svc:open-external', 'https://b.example/')).toBe(false);
  answers[0]?.(true);
  expect([await first, answers.length]).toEqual([true, 1]);
  const later = call('svc:open-external', 'https://b.example/');
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.(false);
  expect(await later).toBe(false);
});

test('a server above the limit is refused with a sentence, and one of the others can be changed', async () => {
  await start();
  for (let index = 0; index < 50; index += 1) await call('svc:profiles-save', { ...EU, id: `s${index}` });
  await expect(call('svc:profiles-save', EU)).rejects.toThrow(/^The app keeps at most 50 servers: remove one first$/);
  await call('svc:profiles-save', { ...EU, id: 's49', name: 'Changed' });
  expect(await call('svc:profiles-list')).toHaveLength(50);
});

test('the window leaves the page of a server that is removed, and stays on another one', async () => {
  await start();
  for (const id of ['eu', 'us']) await call('svc:profiles-save', { ...EU, id });
  await call('svc:profiles-select', 'eu');
  await call('svc:profiles-remove', 'us');
  expect(shown).toBe(`${ORIGIN}/p/eu/`);
  await call('svc:profiles-remove', 'eu');
  expect(shown).toBe(`${ORIGIN}/`);
});

test('a notification or tray item of a removed server opens the app with a message', async () => {
  let click = (): void => undefined;
  let shows = 0;
  changed = {
    notify: (_notice, events) => {
      click = () => events.onClick();
      return () => undefined;
    },
    openWindow: () => ({ ...window, show: () => void (shows += 1) }),
  };
  const running = await start();
  await call('svc:profiles-save', EU);
  const approvalRef = { kind: 'ToolApproval', namespace: 'default', name: 'a' } as const;
  running.say({ type: 'decided', approvalRef, profile: 'eu', ok: false, message: 'It was decided' });
  await call('svc:profiles-remove', 'eu');
  click();
  command('open-inbox', 'eu');
  await expect.poll(() => confirmed.length).toBe(2);
  expect(new Set(confirmed)).toEqual(new Set(['This server is no longer in the app It was removed from the servers in the settings']));
  expect([shows, shown]).toEqual([2, `${ORIGIN}/`]);
});

test('a decision in a notification is reported as not made while the server is down', async () => {
  let approve = (): void => undefined;
  changed = {
    notify: (_notice, events) => {
      approve = () => events.onAction('approve');
      return () => undefined;
    },
  };
  const crashed = await start();
  const approvalRef = { kind: 'ToolApproval', namespace: 'default', name: 'a' } as const;
  crashed.say({ type: 'decided', approvalRef, ok: false, message: 'again' });
  crashed.events.onExit(1);
  approve();
  await expect.poll(() => confirmed).toEqual(['The approval was not decided The server of this app is not running']);
});

test('a link at the start opens on the server of this machine, or on the one that the command line names', async () => {
  const link = 'svc://open/default/Agent/a';
  const settings = { profiles: [{ ...EU, sealedToken: null }], selectedProfile: 'eu' };
  writeFileSync(join(directory, 'desktop.json'), JSON.stringify(settings));
  changed = { argv: [link] };
  await start();
  expect(stored()).toMatchObject({ selectedProfile: null });
  await quit();
  writeFileSync(join(directory, 'desktop.json'), JSON.stringify(settings));
  changed = { argv: ['--profile', 'eu', link] };
  await start(`${ORIGIN}/p/eu/`);
});

describe('the window', () => {
  let events: WindowEvents;
  let done: string[];
  beforeEach(() => {
    done = [];
    const bounds = { x: 5, y: 6, width: 1_000, height: 700 };
    changed = {
      openWindow(_options, given) {
        events = given;
        const note = (what: string) => () => void done.push(what);
        return { ...window, bounds: () => ({ bounds, maximized: false }), show: note('show'), maximize: note('maximize') };
      },
    };
  });

  test('keeps its place when it closes right after a move', async () => {
    await start();
    events.onMoved();
    events.onClose();
    events.onClosed();
    expect(stored()['window']).toEqual({ bounds: { x: 5, y: 6, width: 1_000, height: 700 }, maximized: false });
  });

  test('stays hidden at a hidden start, and is maximised again once it is shown', async () => {
    writeFileSync(join(directory, 'desktop.json'), JSON.stringify({ window: { bounds: null, maximized: true } }));
    changed = { ...changed, argv: ['--hidden'] };
    await start();
    events.onReadyToShow();
    events.onMoved();
    events.onClose();
    expect([done, stored()['window']]).toEqual([[], expect.objectContaining({ maximized: true })]);
    command('show-window');
    command('show-window');
    expect(done).toEqual(['maximize', 'show', 'show']);
  });

  test('is not opened while the app quits', async () => {
    let second: (argv: readonly string[], directory: string) => void = () => undefined;
    changed = { ...changed, lockInstance: (listener) => ((second = listener), true) };
    await start();
    await quit();
    events.onClosed();
    shown = '';
    second(['/app', 'svc://open/default/Agent/a'], directory);
    second(['/app'], directory);
    // The app starts again instead, once.
    expect([shown, relaunched]).toEqual(['', [['svc://open/default/Agent/a']]]);
  });
});
