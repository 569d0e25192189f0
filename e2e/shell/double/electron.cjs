// Double of Electron's main-process API, as far as the app uses it: its windows are pages of a headless Chromium. Not emulated: isolated
// worlds, the sandbox, native menus, tray, notifications and keychains. `double` holds what tests read and change.
'use strict';
const { fork } = require('node:child_process');
const { EventEmitter } = require('node:events');
const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const net = require('node:net');
const { createHash } = require('node:crypto');
const { startBrowser } = require('./cdp.cjs');
const { pageScript } = require('./page-script.cjs');

/** Chromium lacks the app's own scheme: its pages are served under this host. */
const SHELL = /^svc-shell:\/\//;
const STAND_IN = 'http://svc-shell.localhost/';
const toPage = (url) => url.replace(SHELL, STAND_IN);
const fromPage = (url) => (url.startsWith(STAND_IN) ? url.replace(STAND_IN, 'svc-shell://') : url);

let browser;
/** Resolves once Chromium runs: it starts while main does. */
let starting;
const windows = new Map();
const sessions = new Map();
const handlers = new Map();
let schemeHandler = () => new Response('', { status: 404 });

const state = {
  notifications: [],
  opened: [],
  confirmed: [],
  answer: true,
  badge: 0,
  tray: undefined,
  menu: undefined,
  theme: 'system',
  keychain: process.env.SVC_DOUBLE_KEYCHAIN ?? 'strong',
};

const userData = process.env.SVC_DOUBLE_USER_DATA ?? join(tmpdir(), 'svc-desktop-double');
const paths = { userData, logs: join(userData, 'logs') };

class App extends EventEmitter {
  isPackaged = false;
  #ready;
  #lock;
  whenReady = () => (this.#ready ??= new Promise((resolve) => (this.markReady = resolve)));
  getVersion = () => JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')).version;
  getLocale = () => 'en-GB';
  getPath = (name) => paths[name];
  setPath(name, path) {
    paths[name] = path;
    if (name === 'userData') paths.logs = join(path, 'logs');
  }
  enableSandbox() {}
  setBadgeCount(count) {
    state.badge = count;
  }
  setAsDefaultProtocolClient() {}
  relaunch(options) {
    state.relaunched = options;
  }
  /** A socket named after the user data: the second instance sends its arguments and learns that there is a first one. */
  requestSingleInstanceLock() {
    const path = join(tmpdir(), `svc-lock-${createHash('sha256').update(paths.userData).digest('hex').slice(0, 24)}`);
    const pidFile = `${path}.pid`;
    const first = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
    if (first > 0 && isAlive(first)) {
      net.connect(path).end(JSON.stringify(process.argv));
      return false;
    }
    rmSync(path, { force: true });
    writeFileSync(pidFile, `${process.pid}`);
    this.#lock = net.createServer((socket) => {
      let text = '';
      socket.on('data', (chunk) => (text += chunk));
      socket.on('end', () => this.emit('second-instance', {}, JSON.parse(text), process.cwd()));
    });
    this.#lock.listen(path).unref();
    process.once('exit', () => rmSync(pidFile, { force: true }));
    return true;
  }
  quit() {
    let prevented = false;
    this.emit('before-quit', { preventDefault: () => (prevented = true) });
    if (!prevented) this.exit(0);
  }
  exit(code) {
    if (this.leaving) return;
    this.leaving = true;
    void Promise.resolve(starting)
      .then((started) => started?.close())
      .finally(() => process.exit(code));
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const app = new App();

class WebContents extends EventEmitter {
  constructor(window, options) {
    super();
    this.window = window;
    this.preload = options.webPreferences.preload;
    this.current = '';
    this.frames = new Map();
    this.contexts = new Map();
    this.opening = this.#open();
  }
  async #open() {
    const { connection } = await starting;
    const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' });
    this.targetId = targetId;
    const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
    this.sessionId = sessionId;
    windows.set(targetId, this);
    connection.on('event', (event) => event.sessionId === sessionId && this.#onEvent(event));
    const send = (method, params) => connection.send(method, params, sessionId);
    await Promise.all([
      send('Page.enable'),
      send('Runtime.enable'),
      send('Runtime.addBinding', { name: '__svcDouble' }),
      send('Page.addScriptToEvaluateOnNewDocument', { source: pageScript(readFileSync(this.preload, 'utf8')) }),
      send('Fetch.enable', { patterns: [{ resourceType: 'Document' }, { urlPattern: `${STAND_IN}*` }] }),
    ]);
    app.emit('web-contents-created', {}, this);
  }
  async #send(method, params) {
    if (this.sessionId === undefined) return undefined;
    return browser.connection.send(method, params, this.sessionId).catch(() => undefined);
  }
  #onEvent({ method, params }) {
    if (method === 'Fetch.requestPaused') void this.#onRequest(params);
    else if (method === 'Page.frameNavigated') {
      this.frames.set(params.frame.id, { url: fromPage(params.frame.url), parent: params.frame.parentId ?? null });
      if (params.frame.parentId) return;
      this.current = fromPage(params.frame.url);
      this.emit('did-navigate', {}, this.current);
    } else if (method === 'Page.navigatedWithinDocument' && params.frameId === this.targetId) this.current = fromPage(params.url);
    else if (method === 'Page.frameStartedNavigating' && params.frameId === this.targetId) {
      const isSameDocument = params.navigationType === 'sameDocument' || params.navigationType === 'historySameDocument';
      this.emit('did-start-navigation', { url: fromPage(params.url), isMainFrame: true, isSameDocument });
    } else if (method === 'Page.frameStoppedLoading' && params.frameId === this.targetId) this.emit('did-stop-loading');
    else if (method === 'Runtime.executionContextCreated') this.contexts.set(params.context.id, params.context.auxData?.frameId);
    else if (method === 'Runtime.bindingCalled' && params.name === '__svcDouble') void this.#onCall(params);
    else if (method === 'Inspector.targetCrashed') this.emit('render-process-gone', {}, { reason: 'crashed' });
  }
  /** Loads by main pass; loads by the page need a decision. */
  async #onRequest({ requestId, request, frameId }) {
    const url = fromPage(request.url);
    if (url !== this.loading) {
      let prevented = false;
      const event = { url, preventDefault: () => (prevented = true) };
      this.emit(frameId === this.targetId ? 'will-navigate' : 'will-frame-navigate', event, url);
      if (prevented) return this.#send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
    if (!SHELL.test(url)) return this.#send('Fetch.continueRequest', { requestId });
    const answer = await schemeHandler({ url });
    const body = Buffer.from(await answer.text()).toString('base64');
    const responseHeaders = [...answer.headers].map(([name, value]) => ({ name, value }));
    return this.#send('Fetch.fulfillRequest', { requestId, responseCode: answer.status, responseHeaders, body });
  }
  async #onCall({ payload, executionContextId }) {
    const call = JSON.parse(payload);
    if (call.type === 'open') return void this.openHandler?.({ url: call.url });
    const frameId = this.contexts.get(executionContextId);
    const { url = '', parent = null } = this.frames.get(frameId) ?? {};
    const decode = (value) =>
      value?.$bytes ? new Uint8Array(Buffer.from(value.$bytes, 'base64')) : Array.isArray(value) ? value.map(decode) : value;
    let reply;
    try {
      const value = await handlers.get(call.channel)?.({ senderFrame: { url, parent } }, call.given ? decode(call.payload) : undefined);
      reply = { type: 'reply', id: call.id, ok: true, value };
    } catch (error) {
      reply = { type: 'reply', id: call.id, ok: false, error: error.message };
    }
    await this.#send('Runtime.evaluate', { contextId: executionContextId, expression: `window.__svcDoubleIn(${JSON.stringify(reply)})` });
  }
  reload() {
    void this.#send('Page.reload');
  }
  async load(url) {
    await this.opening;
    this.loading = url;
    const { errorText } = await browser.connection.send('Page.navigate', { url: toPage(url) }, this.sessionId);
    if (errorText && errorText !== 'net::ERR_ABORTED') {
      this.emit('did-fail-load', {}, -2, errorText, url, true);
      throw new Error(errorText);
    }
    this.window.emit('ready-to-show');
  }
  getURL = () => this.current;
  isDestroyed = () => this.window.destroyed;
  send(channel, payload) {
    void this.#send('Runtime.evaluate', { expression: `window.__svcDoubleIn?.(${JSON.stringify({ type: 'event', channel, payload })})` });
  }
  setWindowOpenHandler(handler) {
    this.openHandler = handler;
  }
  close() {
    this.window.close();
  }
}

class BrowserWindow extends EventEmitter {
  destroyed = false;
  visible = false;
  focused = false;
  constructor(options) {
    super();
    this.options = options;
    this.webContents = new WebContents(this, options);
  }
  static getAllWindows = () => [...windows.values()].map(({ window }) => window);
  static fromWebContents = (contents) => contents?.window ?? null;
  loadURL = (url) => this.webContents.load(url);
  isFocused = () => this.focused;
  isVisible = () => this.visible;
  isMinimized = () => false;
  isMaximized = () => false;
  getNormalBounds = () => ({ x: 0, y: 0, width: 1440, height: 900 });
  maximize() {}
  setBounds() {}
  center() {}
  restore() {}
  show() {
    this.visible = true;
  }
  focus() {
    this.focused = true;
  }
  hide() {
    this.visible = false;
    this.focused = false;
  }
  close() {
    let prevented = false;
    this.emit('close', { preventDefault: () => (prevented = true) });
    if (!prevented) this.destroy();
  }
  /** Without asking anybody. */
  destroy() {
    if (this.destroyed) return;
    this.destroyed = true;
    const { targetId } = this.webContents;
    windows.delete(targetId);
    void browser.connection.send('Target.closeTarget', { targetId }).catch(() => undefined);
    this.emit('closed');
    if (windows.size === 0) app.emit('window-all-closed');
  }
}

const session = {
  fromPartition(partition) {
    if (!sessions.has(partition)) sessions.set(partition, createSession());
    return sessions.get(partition);
  },
};

function createSession() {
  const own = {
    setPermissionRequestHandler: (handler) => (own.onRequest = handler),
    setPermissionCheckHandler: (handler) => (own.onCheck = handler),
    setDevicePermissionHandler: (handler) => (own.onDevice = handler),
    protocol: { handle: (_scheme, handler) => (schemeHandler = handler) },
    cookies: {
      async set({ url, name, value, path, httpOnly, sameSite }) {
        const cookie = { url, name, value, path, httpOnly, sameSite: sameSite === 'strict' ? 'Strict' : 'Lax' };
        await (await starting).connection.send('Storage.setCookies', { cookies: [cookie] });
      },
    },
  };
  return own;
}

class Notification extends EventEmitter {
  constructor(options) {
    super();
    this.options = options;
  }
  show() {
    state.notifications.push(this);
  }
  close() {
    state.notifications = state.notifications.filter((each) => each !== this);
  }
}

class Tray {
  constructor(image) {
    state.tray = this;
    this.image = image;
  }
  setImage(image) {
    this.image = image;
  }
  setToolTip(text) {
    this.tooltip = text;
  }
  setContextMenu(menu) {
    this.menu = menu;
  }
}

/** Seals so that a test sees whether plain text is stored; it keeps nothing secret. */
const safeStorage = {
  isEncryptionAvailable: () => state.keychain !== 'none',
  getSelectedStorageBackend: () => (state.keychain === 'weak' ? 'basic_text' : 'gnome_libsecret'),
  encryptString: (text) => Buffer.from(`sealed:${Buffer.from(text).toString('base64')}`),
  decryptString(sealed) {
    if (state.keychain === 'locked') throw new Error('the keychain is locked');
    return Buffer.from(sealed.toString().slice('sealed:'.length), 'base64').toString();
  },
};

const utilityProcess = {
  fork(entry, args, { env }) {
    const child = fork(entry, args, { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    state.server = child;
    child.postMessage = (message) => void (child.connected && child.send(message, () => undefined));
    const end = child.kill.bind(child);
    child.kill = (signal = 'SIGKILL') => end(signal);
    return child;
  },
};

const double = {
  state,
  start() {
    mkdirSync(paths.userData, { recursive: true });
    void app.whenReady();
    process.once('SIGTERM', () => app.quit());
    starting = startBrowser().then((started) => (browser = started));
  },
  openTarget: async () => void (await browser.connection.send('Target.createTarget', { url: 'about:blank' })),
  /** Main is loaded: the app is ready, and Playwright may connect. */
  async ready() {
    app.markReady();
    await starting;
    process.stderr.write(`DevTools listening on ${browser.address}\n`);
  },
};

module.exports = {
  double,
  app,
  BrowserWindow,
  dialog: {
    showErrorBox: (title, text) => console.error(title, text),
    async showMessageBox({ message, detail }) {
      state.confirmed.push({ message, detail });
      return { response: state.answer ? 0 : 1 };
    },
    async showOpenDialog({ properties }) {
      state.picking = properties;
      return { canceled: state.pick === undefined, filePaths: state.pick ?? [] };
    },
    async showSaveDialog({ defaultPath }) {
      state.onSave?.(defaultPath);
      const filePath = state.folder === undefined ? state.target : join(state.folder, defaultPath);
      return { canceled: filePath === undefined, filePath: filePath ?? '' };
    },
  },
  ipcMain: { handle: (channel, handler) => handlers.set(channel, handler) },
  Menu: { buildFromTemplate: (template) => ({ template }), setApplicationMenu: (menu) => (state.menu = menu) },
  nativeImage: { createFromPath: (path) => ({ path }) },
  nativeTheme: {
    set themeSource(mode) {
      state.theme = mode;
    },
  },
  Notification,
  powerMonitor: new EventEmitter(),
  protocol: { registerSchemesAsPrivileged() {} },
  safeStorage,
  screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] },
  session,
  shell: {
    openExternal: async (url) => void state.opened.push(url),
    openPath: async (path) => {
      state.opened.push(path);
      return '';
    },
  },
  Tray,
  utilityProcess,
  webContents: { fromDevToolsTargetId: (targetId) => windows.get(targetId) },
};
