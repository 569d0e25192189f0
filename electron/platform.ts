// Adapter of Electron: the only file besides main.ts and preload.ts that imports it. It translates and decides nothing.
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  type MenuItemConstructorOptions,
  type Session,
} from 'electron';
import { join } from 'node:path';
import { replyTo } from './core/ipc.ts';
import type { MenuItem, OnMenuCommand, Platform } from './core/menu.ts';
import type { AppWindow, ElectronApi, Guards, WindowEvents } from './core/platform-port.ts';
import { SHELL_SCHEME } from './core/security.ts';
import { PARTITION, type makeWindowOptions } from './core/windows.ts';
import { createUpdater } from './updater.ts';

/** Before the app is ready. */
export function registerShellScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SHELL_SCHEME, privileges: { standard: true, secure: true } }]);
}

/** Build output: main, preload and server lie beside each other. */
const buildFile = (...path: string[]): string => join(import.meta.dirname, '..', ...path);

const ownSession = (): Session => session.fromPartition(PARTITION);

function guardContents(guards: Guards): void {
  app.on('web-contents-created', (_created, contents) => {
    const prevent = (event: { preventDefault(): void; readonly url: string }) => {
      if (!guards.mayNavigate(event.url)) event.preventDefault();
    };
    contents.on('will-navigate', prevent);
    contents.on('will-redirect', prevent);
    contents.on('will-frame-navigate', prevent);
    // Without this Electron cancels a reload, a close and a quit with no word, after the server was stopped. The console keeps drafts by itself.
    contents.on('will-prevent-unload', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      guards.onOpenWindow(url);
      return { action: 'deny' };
    });
  });
}

function guardSession(guards: Guards): void {
  const own = ownSession();
  own.setPermissionRequestHandler((...[contents, permission, decide, details]) => {
    decide(guards.mayUse(permission, details.requestingUrl || contents.getURL()));
  });
  own.setPermissionCheckHandler((contents, permission, origin) => guards.mayUse(permission, contents?.getURL() ?? origin));
  own.setDevicePermissionHandler(() => false);
}

function openWindow(options: ReturnType<typeof makeWindowOptions>, events: WindowEvents): AppWindow {
  const window = new BrowserWindow(options);
  const { webContents: contents } = window;
  window.once('ready-to-show', () => events.onReadyToShow());
  // Linux has no `moved` and `resized`, which come once at the end.
  for (const event of ['move', 'resize', 'maximize', 'unmaximize'] as const) window.on(event as 'move', () => events.onMoved());
  window.on('close', (event) => {
    if (!events.onClose()) return;
    event.preventDefault();
    window.hide();
  });
  window.on('closed', () => events.onClosed());
  contents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) events.onNavigating();
  });
  contents.on('did-navigate', () => events.onNavigated());
  contents.on('did-stop-loading', () => events.onSettled());
  contents.on('render-process-gone', () => events.onCrashed());
  contents.on('did-fail-load', (...[, code, , url, isMainFrame]) => {
    // -3: another load replaced this one.
    if (isMainFrame && code !== -3) events.onLoadFailed(url);
  });
  return {
    load: (url) => window.loadURL(url),
    reload: () => contents.reload(),
    url: () => contents.getURL(),
    send: (channel, payload) => void (contents.isDestroyed() || contents.send(channel, payload)),
    show() {
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    isFocused: () => window.isFocused(),
    bounds: () => ({ bounds: window.getNormalBounds(), maximized: window.isMaximized() }),
    maximize: () => window.maximize(),
    centre(size) {
      window.setBounds(size);
      window.center();
    },
  };
}

function menuItem(item: MenuItem, onCommand: OnMenuCommand): MenuItemConstructorOptions {
  switch (item.type) {
    case 'separator':
      return { type: 'separator' };
    case 'role':
      return { role: item.role as NonNullable<MenuItemConstructorOptions['role']> };
    case 'text':
      return { label: item.label, enabled: false };
    case 'submenu':
      return { label: item.label, submenu: item.items.map((each) => menuItem(each, onCommand)) };
    case 'command': {
      const { label, accelerator, enabled = true, command, profile } = item;
      return { label, enabled, ...(accelerator !== undefined && { accelerator }), click: () => onCommand(command, profile) };
    }
  }
}

const buildMenu = (items: readonly MenuItem[], onCommand: OnMenuCommand): Menu =>
  Menu.buildFromTemplate(items.map((item) => menuItem(item, onCommand)));

function createNotifier(canAct: boolean): ElectronApi['notify'] {
  return (notice, events) => {
    const actions = canAct
      ? notice.actions.map((action) => ({ type: 'button' as const, text: action === 'approve' ? 'Approve' : 'Deny' }))
      : [];
    const urgency = notice.urgency === 'critical' ? 'critical' : notice.urgency;
    const notification = new Notification({ title: notice.title, body: notice.body, actions, urgency });
    notification.on('click', () => events.onClick());
    notification.on('action', (event: { actionIndex?: number }, index?: number) => {
      const action = notice.actions[event.actionIndex ?? index ?? -1];
      if (action) events.onAction(action);
    });
    notification.show();
    return () => notification.close();
  };
}

function createTray(icons: string): ElectronApi['setTray'] {
  let tray: Tray | undefined;
  return (template, onCommand) => {
    // Only macOS draws a template in the colour of its bar.
    const name = process.platform === 'darwin' ? `${template.icon}Template` : template.icon;
    const image = nativeImage.createFromPath(join(icons, `${name}.png`));
    tray ??= new Tray(image);
    tray.setImage(image);
    tray.setToolTip(template.tooltip);
    tray.setContextMenu(buildMenu(template.items, onCommand));
  };
}

/** Quits only after `listener`: the first request is held back. */
function quitAfter(listener: () => Promise<void>): void {
  let done = false;
  let begun = false;
  app.on('before-quit', (event) => {
    if (done) return;
    event.preventDefault();
    if (begun) return;
    begun = true;
    void listener().finally(() => {
      done = true;
      app.quit();
    });
  });
}

async function choose(extensions: readonly string[], { several } = { several: false }): Promise<readonly string[]> {
  const filters = [{ name: extensions.map((each) => `.${each}`).join(', '), extensions: [...extensions] }];
  const { canceled, filePaths } = await dialog.showOpenDialog({
    properties: several ? ['openFile', 'multiSelections'] : ['openFile'],
    filters,
  });
  return canceled ? [] : filePaths;
}

const keychain: ElectronApi['keychain'] = {
  isAvailable: () => safeStorage.isEncryptionAvailable(),
  backend: () => (process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : 'system'),
  seal: (text) => safeStorage.encryptString(text),
  open: (sealed) => safeStorage.decryptString(sealed),
};

const lifecycle: Pick<
  ElectronApi,
  | 'lockInstance'
  | 'onOpenUrl'
  | 'onOpenFile'
  | 'onActivate'
  | 'onAllWindowsClosed'
  | 'onQuit'
  | 'whenReady'
  | 'quit'
  | 'relaunch'
  | 'onPower'
> = {
  lockInstance(onSecond) {
    app.on('second-instance', (_event, argv, workingDirectory) => onSecond(argv, workingDirectory));
    return app.requestSingleInstanceLock();
  },
  onOpenUrl: (listener) =>
    void app.on('open-url', (event, url) => {
      event.preventDefault();
      listener(url);
    }),
  onOpenFile: (listener) =>
    void app.on('open-file', (event, path) => {
      event.preventDefault();
      listener(path);
    }),
  onActivate: (listener) => void app.on('activate', () => listener()),
  onAllWindowsClosed: (listener) => void app.on('window-all-closed', () => listener()),
  onQuit: quitAfter,
  whenReady: () => app.whenReady(),
  quit: () => app.quit(),
  relaunch(args) {
    // The program of an AppImage lies in a mount that ends with it.
    const image = process.env['APPIMAGE'];
    app.relaunch({ args: [...args], ...(image !== undefined && { execPath: image }) });
  },
  onPower(listener) {
    powerMonitor.on('suspend', () => listener('suspend'));
    powerMonitor.on('resume', () => listener('resume'));
  },
};

const dialogs: Pick<ElectronApi, 'openExternal' | 'openPath' | 'confirm' | 'pickFiles' | 'pickTarget'> = {
  openExternal: (url) => shell.openExternal(url),
  async openPath(path) {
    const problem = await shell.openPath(path);
    if (problem !== '') throw new Error(problem);
  },
  async confirm({ message, detail, yes }) {
    if (yes === undefined) {
      await dialog.showMessageBox({ type: 'info', message, detail, buttons: ['OK'] });
      return false;
    }
    const buttons = [yes, 'Cancel'];
    const { response } = await dialog.showMessageBox({ type: 'question', message, detail, buttons, defaultId: 1, cancelId: 1 });
    return response === 0;
  },
  pickFiles: choose,
  async pickTarget(name) {
    const { canceled, filePath } = await dialog.showSaveDialog({ defaultPath: name });
    return canceled ? undefined : filePath;
  },
};

/** Pages of the app in its own session, with the guards of all its windows. */
const guard: ElectronApi['guard'] = (guards, shellPage) => {
  guardContents(guards);
  guardSession(guards);
  ownSession().protocol.handle(SHELL_SCHEME, ({ url }) => {
    const page = shellPage(url);
    return page ? new Response(page.body, { headers: { ...page.headers } }) : new Response('', { status: 404 });
  });
};

const handle: ElectronApi['handle'] = (channel, listener) =>
  ipcMain.handle(channel, (event, payload: unknown) => {
    const frame = event.senderFrame;
    return replyTo(listener({ url: frame?.url ?? '', isMainFrame: frame !== null && frame.parent === null }, payload));
  });

export function createPlatform(): ElectronApi {
  const canAct = process.platform === 'darwin' || process.platform === 'win32';
  const icons = app.isPackaged ? join(process.resourcesPath, 'icons') : buildFile('..', 'resources', 'build');
  return {
    ...lifecycle,
    ...dialogs,
    platform: process.platform as Platform,
    version: app.getVersion(),
    packaged: app.isPackaged,
    argv: process.argv.slice(1),
    env: process.env,
    locale: () => app.getLocale(),
    paths: {
      userData: app.getPath('userData'),
      logs: app.getPath('logs'),
      preload: buildFile('preload', 'index.cjs'),
      server: buildFile('main', 'svcd.js'),
      icons,
    },
    openWindow,
    screens: () => screen.getAllDisplays().map(({ workArea }) => workArea),
    guard,
    setCookie: ({ url, name, value }) => ownSession().cookies.set({ url, name, value, path: '/', httpOnly: true, sameSite: 'strict' }),
    handle,
    keychain,
    updater: (feed) => createUpdater(feed),
    setTheme: (mode) => void (nativeTheme.themeSource = mode),
    canAct,
    notify: createNotifier(canAct),
    setBadge: (count) => void app.setBadgeCount(count),
    setMenu: (items, onCommand) => Menu.setApplicationMenu(buildMenu(items, onCommand)),
    setTray: createTray(icons),
    registerProtocol: (scheme) => void (app.isPackaged && app.setAsDefaultProtocolClient(scheme)),
  };
}
