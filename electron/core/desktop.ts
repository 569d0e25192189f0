// The app: puts supervisor, window, notifications, menus, updates and calls of pages together over the port to Electron.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PROVIDER_KEY_MAX } from '@svc/shared/environment-keys';
import type { Bootstrap, FromServer, Profile, ProfileTest } from '@svc/shared/control';
import type { BackendState, DesktopInfo, RestartMode, WorkState } from '@svc/shared/desktop-api';
import { backUpData, DATABASE } from './backup.ts';
import { readBundle } from './bundle-file.ts';
import { shellPage } from './bootpage.ts';
import { parseCommandLine } from './cli.ts';
import { DeepLinkBuffer, parseDeepLink, type Opened } from './deeplink.ts';
import { findServer } from './find-server.ts';
import { DataCommands } from './data-commands.ts';
import { isInterrupted, recoverData } from './data-folder.ts';
import type { DataWork } from './data-work.ts';
import { createHandlers } from './handlers.ts';
import { answerCall, CHANNELS, type ChannelName } from './ipc.ts';
import type { PersonEnvironment } from './login-env.ts';
import { createFailureReport, reasonOf } from './failures.ts';
import { readExport } from './read-export.ts';
import { openLogFile } from './log-file.ts';
import { Maintenance, OTHER_OWNER } from './maintenance.ts';
import { menuTemplate, trayTemplate, type MenuCommand } from './menu.ts';
import { Notices, type NoticesOptions } from './notices.ts';
import { Outside } from './outside.ts';
import type { ElectronApi } from './platform-port.ts';
import { Profiles } from './profiles.ts';
import { openKey } from './secrets.ts';
import { mayNavigate, mayUse } from './security.ts';
import { openSettings, workLimitsOf } from './settings.ts';
import { ServerRequests } from './server-requests.ts';
import { IDLE, Supervisor, type ServerHost, type Timers } from './supervisor.ts';
import { checkWithDialogs, Updates } from './updates.ts';
import { MainWindow } from './main-window.ts';

export interface DesktopParts {
  /** Makes the host of the server, before the app is ready: it starts nothing of Electron's yet. */
  readonly createHost: (entry: string) => Promise<ServerHost>;
  readonly timers: Timers;
  readonly environment: Pick<PersonEnvironment, 'keyNames' | 'readKey'>;
}

const SHUTDOWN_GRACE_MS = 10_000;
const DRAIN_MS = 30_000;
/** A quit that takes longer than this shows what it waits for. */
const SHOW_QUIT_AFTER_MS = 1_000;

export class Desktop {
  readonly #api: ElectronApi;
  readonly #parts: DesktopParts;
  readonly #settings;
  readonly #dataDir: string;
  readonly #keyFile: string;
  readonly #mainLog;
  readonly #serverLog;
  readonly #profiles: Profiles;
  readonly #maintenance: Maintenance;
  readonly #data: DataCommands;
  readonly #notices: Notices;
  readonly #report;
  readonly #outside: Outside;
  readonly #links = new DeepLinkBuffer();
  readonly #launchSecret = randomBytes(32).toString('base64url');
  readonly #requests: ServerRequests;
  #supervisor: Supervisor | undefined;
  #window: MainWindow | undefined;
  #updates: Updates | undefined;
  #running = 0;
  #paused = false;
  #safeMode: boolean;
  #key: string | null = null;
  #keyStore: DesktopInfo['keyStore'] = 'none';
  /** Origin of a server that another program runs, while the window shows it. */
  #attached: string | null = null;
  #quitting = false;
  #startsAgain = false;

  constructor(api: ElectronApi, parts: DesktopParts) {
    this.#api = api;
    this.#parts = parts;
    const { userData, logs } = api.paths;
    this.#keyFile = join(userData, 'key');
    this.#dataDir = resolve(api.env['SVC_DATA_DIR'] || join(userData, 'server'));
    const keepUnreadable = existsSync(join(this.#dataDir, DATABASE)) && !existsSync(this.#keyFile);
    this.#settings = openSettings(join(userData, 'desktop.json'), { keepUnreadable });
    this.#mainLog = openLogFile(join(logs, 'main.log'));
    this.#serverLog = openLogFile(join(logs, 'server.log'));
    const log = (line: string) => this.#log(line);
    this.#report = createFailureReport(api, log);
    this.#outside = new Outside({ api, log, report: this.#report });
    this.#safeMode = parseCommandLine(api.argv).safeMode;
    this.#profiles = new Profiles({
      settings: this.#settings,
      keychain: api.keychain,
      onToken: (id, token) => this.#supervisor?.send({ type: 'profile-secret', id, token }),
      onProfiles: (profiles) => this.#supervisor?.send({ type: 'profiles', profiles: [...profiles] }),
      check: (profile, token) => this.#checkServer(profile, token),
    });
    this.#notices = new Notices({
      api,
      prefs: () => this.#settings.get().notifications,
      focused: () => this.#window?.isFocused() ?? false,
      nameOf: (profile) => this.#profiles.all().find(({ id }) => id === profile)?.name ?? profile,
      onOpen: (link, profile) => this.#openLink(link, profile),
      onDecide: this.#decide,
      onCount: () => this.#renderMenus(),
    });
    this.#requests = new ServerRequests((message) => this.#supervisor?.send(message), parts.timers);
    this.#maintenance = new Maintenance({ dataDir: this.#dataDir, stopServer: () => this.#stopServer() });
    this.#data = new DataCommands({
      api,
      dataDir: this.#dataDir,
      runningTasks: () => this.#running,
      maintain: (work, act) => this.#maintain(work, act),
      readExport: async () => readExport(this.#supervisor?.state.origin ?? null, () => this.#requests.mintCookie()),
      report: this.#report,
    });
  }

  /** False in a second instance: nothing was started. Links and arguments go to the first one. */
  async start(): Promise<boolean> {
    const api = this.#api;
    api.onOpenUrl((url) => this.#openLink(parseDeepLink(url)));
    api.onOpenFile((path) => void this.#openFile(path));
    if (!api.lockInstance((argv, directory) => this.#onSecondInstance(argv, directory))) {
      api.quit();
      return false;
    }
    const { hidden, link, profile, files } = parseCommandLine(api.argv);
    const chosen = profile !== undefined && this.#profiles.has(profile) ? profile : undefined;
    if (chosen !== undefined) this.#profiles.select(chosen);
    if (link) this.#openLink(link, chosen);
    for (const path of files) void this.#openFile(path);
    api.onQuit(() => this.#shutDown());
    api.onActivate(() => this.#showWindow());
    api.onAllWindowsClosed(() => {
      if (!this.#settings.get().notifications.background && api.platform !== 'darwin') api.quit();
    });
    // A packaged app reads the environment of the user's login shell here, which may take longer than its own start.
    const host = this.#parts.createHost(api.paths.server);
    await api.whenReady();
    api.registerProtocol('svc');
    api.setTheme(this.#settings.get().theme);
    // The server takes longest: it starts while the window opens.
    const starting = host.then((made) => this.#startServer(made));
    this.#prepareSession();
    this.#openWindow(hidden);
    this.#renderMenus();
    await starting;
    this.#startUpdates();
    api.onPower((event) => this.#supervisor?.send({ type: 'power', event }));
    if (this.#settings.setAside) this.#log(`desktop.json could not be read and was moved to ${this.#settings.setAside}`);
    for (const field of this.#settings.refused()) this.#log(`desktop.json: ${field} has a wrong value, so it has its default`);
    return true;
  }

  #prepareSession(): void {
    const api = this.#api;
    api.guard(
      {
        mayNavigate: (url) => mayNavigate(url, this.#origin()),
        mayUse: (permission, url) => mayUse(permission, { url, origin: this.#pageOrigin() }),
        onOpenWindow: (url) => void this.#outside.openAddress(url),
      },
      shellPage,
    );
    const handlers = createHandlers({
      api,
      settings: this.#settings,
      profiles: this.#profiles,
      info: () => this.#info(),
      backend: () => this.#backend(),
      restart: (mode) => this.#restart(mode),
      assertIdle: () => this.#maintenance.assertNone(),
      outside: this.#outside,
      report: this.#report,
      showServer: (id) => this.#showServer(id),
      listen: () => this.#links.listen((link) => this.#window?.send('svc:on-deep-link', link)),
      work: () => this.#work(),
      pause: (paused) => this.#pause(paused),
      updates: () => this.#updates,
      onPrefs: () => this.#renderMenus(),
    });
    for (const name of Object.keys(CHANNELS) as ChannelName[])
      api.handle(name, (sender, payload) => answerCall(handlers, { name, sender, payload }, this.#pageOrigin()));
  }

  #startServer(host: ServerHost): void {
    this.#supervisor = new Supervisor({
      host,
      timers: this.#parts.timers,
      version: this.#api.version,
      bootstrap: () => this.#bootstrap(),
      onState: (state) => this.#onState(state),
      onMessage: (message) => this.#onMessage(message),
      onLine: (line) => this.#serverLog.write(line),
      findOther: () => findServer(this.#dataDir),
    });
    if (!isInterrupted(this.#dataDir)) return this.#launch();
    this.#maintain('restoring', () => recoverData(this.#dataDir)).catch((error: unknown) => this.#log(reasonOf(error)));
  }

  /** Opens the key of the data directory first: without it the server is not started. Work on all data does so at its end. */
  #launch(): void {
    if (this.#quitting || this.#maintenance.work !== null) return;
    const opened = openKey({ keychain: this.#api.keychain, settings: this.#settings, keyFile: this.#keyFile });
    if (opened.kind === 'problem') return this.#supervisor?.refuse(opened.problem);
    this.#key = opened.key;
    this.#keyStore = opened.store;
    this.#supervisor?.start();
  }

  #bootstrap(): Bootstrap {
    const settings = this.#settings.get();
    return {
      type: 'bootstrap',
      protocol: 1,
      dataDir: this.#dataDir,
      logDir: this.#api.paths.logs,
      preferredPort: settings.port,
      kek: this.#key,
      launchSecret: this.#launchSecret,
      locale: this.#api.locale(),
      logLevel: 'info',
      profiles: this.#profiles.all(),
      safeMode: this.#safeMode,
      environmentKeys: [...this.#parts.environment.keyNames()],
      limits: workLimitsOf(settings),
    };
  }

  #onState(state: BackendState): void {
    this.#log(`server: ${state.phase}${state.problem ? ` (${state.problem.code}: ${state.problem.message})` : ''}`);
    this.#window?.send('svc:on-backend', this.#backend());
    if (state.phase === 'ready' && state.origin !== null)
      this.#onReady(state.origin).catch((error: unknown) => this.#log(`the console was not opened: ${reasonOf(error)}`));
    else if (state.phase === 'failed') this.#window?.showBoot();
    if (state.phase !== 'ready') {
      this.#running = 0;
      this.#notices.reset();
      this.#requests.reset();
    }
    this.#renderMenus();
  }

  async #onReady(origin: string): Promise<void> {
    const port = Number(new URL(origin).port);
    if (port !== this.#settings.get().port) this.#settings.remember({ port });
    this.#profiles.sendTokens();
    if (this.#paused) this.#supervisor?.send({ type: 'pause', paused: true });
    await this.#api.setCookie({ url: origin, ...(await this.#requests.mintCookie()) });
    if (!this.#window?.shows(origin)) this.#window?.returnToConsole(origin, this.#profiles.home());
  }

  /** Checks another server through the local server, whose gateway is the only way to it. */
  #checkServer(profile: Profile, token: string | undefined): Promise<ProfileTest> {
    if (this.#supervisor?.state.phase !== 'ready') return Promise.reject(new Error('The server of this app is not running'));
    return this.#requests.testProfile(profile, token);
  }

  #showServer(id: string | null): void {
    this.#profiles.select(id);
    const origin = this.#origin();
    if (origin !== null) this.#window?.showConsole(origin, this.#profiles.home());
    // The page of the server before must not stay until then, and get what is meant for this one.
    else this.#window?.showBoot();
  }

  #onMessage(message: FromServer): void {
    if (this.#requests.receive(message)) return;
    if (message.type === 'notify' || message.type === 'notify-cancel' || message.type === 'badge') this.#notices.receive(message);
    else if (message.type === 'busy') {
      this.#running = message.runningTasks;
      this.#renderMenus();
    } else if (message.type === 'environment-key-request') void this.#answerKey(message.nonce, message.variable);
    else if (message.type === 'decided' && !message.ok) {
      this.#log(`a decision was refused: ${message.message}`);
      this.#notices.refuse(message);
    }
  }

  /** A button of a notification. One that is pressed while no server takes it must not look like a decision. */
  readonly #decide: NoticesOptions['onDecide'] = ({ kind, namespace, name }, decision, profile) => {
    if (this.#supervisor?.state.phase !== 'ready')
      return void this.#report('The approval was not decided', new Error('The server of this app is not running'));
    const approvalRef = { kind, namespace, name };
    this.#supervisor.send({ type: 'decide', approvalRef, decision, ...(profile !== undefined && { profile }) });
  };

  /** The user confirmed in the window, at the request of its server. */
  async #answerKey(nonce: string, variable: string): Promise<void> {
    const value = await this.#parts.environment.readKey(variable);
    this.#supervisor?.send({ type: 'environment-key', nonce, value: value !== null && value.length <= PROVIDER_KEY_MAX ? value : null });
  }

  #openWindow(hidden: boolean): void {
    this.#window = new MainWindow(this.#api, {
      settings: this.#settings,
      hidden,
      now: () => this.#parts.timers.now(),
      /** Keeps server and tray running if the setting requires it. */
      keepsOnClose: () => this.#settings.get().notifications.background && !this.#quitting,
      onClosed: () => void (this.#window = undefined),
      links: this.#links,
    });
    const origin = this.#origin();
    if (origin === null) this.#window.showBoot();
    else this.#window.showConsole(origin, this.#profiles.home());
  }

  #showWindow(): void {
    if (this.#window) this.#window.show();
    else if (!this.#quitting) this.#openWindow(false);
  }

  /** Opens a link or file on the server of `profile`; undefined is the local server, which links from outside the app mean. */
  #openLink(link: Opened | undefined, profile?: string): void {
    if (link === undefined) return this.#log('dropped a link of an unknown form');
    if (this.#isRemoved(profile)) return;
    // The page of another server must not get it.
    if (this.#settings.get().selectedProfile !== (profile ?? null)) this.#showServer(profile ?? null);
    this.#links.push(link);
    if (this.#supervisor) this.#showWindow();
  }

  /** Whether a notification or an item of the tray is about a server that was removed; the window then opens with a message. */
  #isRemoved(profile: string | undefined): boolean {
    if (profile === undefined || this.#profiles.has(profile)) return false;
    this.#showWindow();
    void this.#report('This server is no longer in the app', new Error('It was removed from the servers in the settings'));
    return true;
  }

  async #openFile(path: string): Promise<void> {
    try {
      this.#openLink(await readBundle(path));
    } catch (error) {
      await this.#report('The file was not opened', error);
    }
  }

  #onSecondInstance(argv: readonly string[], workingDirectory: string): void {
    if (this.#quitting) return this.#startAgain(argv);
    const { link, files } = parseCommandLine(argv);
    for (const path of files) void this.#openFile(resolve(workingDirectory, path));
    if (link) this.#openLink(link);
    else this.#showWindow();
  }

  /** A person who starts the app while it quits wants it; the second instance has given up. An update starts the app by itself. */
  #startAgain(argv: readonly string[]): void {
    if (this.#startsAgain || this.#updates?.state.phase === 'installing') return;
    this.#startsAgain = true;
    this.#api.relaunch(argv.slice(1));
  }

  async #restart(mode: RestartMode): Promise<void> {
    this.#maintenance.assertNone();
    const attachable = this.#supervisor?.state.attachable ?? null;
    if (mode === 'attach') {
      if (attachable === null) throw new Error('No other server answers for this data directory');
      this.#attached = attachable;
      return this.#window?.showConsole(attachable, '/');
    }
    this.#attached = null;
    if (mode === 'plaintext') this.#settings.update({ plaintextKey: true });
    this.#safeMode = mode === 'safe';
    if (!(await this.#supervisor?.stop(SHUTDOWN_GRACE_MS))) throw new Error('The server did not end: quit the app and start it again');
    this.#launch();
  }

  async #stopServer(): Promise<boolean> {
    return (await this.#supervisor?.stop(DRAIN_MS)) ?? true;
  }

  /** Always restarts the server: the data is either unchanged or as requested. */
  async #maintain(work: DataWork, act: () => Promise<void>): Promise<void> {
    if (this.#attached !== null) throw new Error(OTHER_OWNER);
    // The console of the old data must not write into the new.
    this.#window?.showBoot();
    try {
      await this.#maintenance.run(work, act);
      if (work !== 'copying') this.#window?.forgetPage();
    } finally {
      this.#launch();
    }
  }

  #startUpdates(): void {
    const { updateUrl, updateChannel } = this.#settings.get();
    this.#updates = new Updates({
      updater: updateUrl === null ? undefined : this.#api.updater({ url: updateUrl, channel: updateChannel }),
      runningTasks: () => this.#running,
      approvalShown: () => this.#window?.showsApproval() === true,
      backUp: async () => {
        const label = new Date().toISOString().replaceAll(':', '-');
        await this.#maintenance.run('copying', () => backUpData(this.#dataDir, join(this.#api.paths.userData, 'backups'), label));
      },
      stopServer: () => this.#stopServer(),
      startServer: () => this.#launch(),
      onQuitting: (quitting) => void (this.#quitting = quitting),
      onState: (state) => {
        this.#log(`update: ${state.phase}${state.message === null ? '' : ` (${state.message})`}`);
        this.#window?.send('svc:on-update', state);
      },
    });
    this.#updates.start();
  }

  readonly #onCommand = (command: MenuCommand, profile?: string): void => {
    const actions: Readonly<Record<MenuCommand, () => unknown>> = {
      'open-logs': () => this.#outside.openLogs(),
      'restart-server': () => this.#restart('normal'),
      'safe-mode': () => this.#restart('safe'),
      'pause-work': () => this.#pause(true),
      'resume-work': () => this.#pause(false),
      'export-all': () => this.#data.exportAll(),
      'back-up': () => this.#data.backUp(),
      restore: () => this.#data.restore(),
      reset: () => this.#data.reset(),
      'check-updates': () => this.#updates && checkWithDialogs(this.#updates, (question) => this.#api.confirm(question)),
      reload: () => this.#window?.reload(this.#origin()),
      'show-window': () => this.#showWindow(),
      'open-inbox': () => this.#openInbox(profile),
      quit: () => this.#api.quit(),
    };
    const act = async () => actions[command]();
    void act().catch((error: unknown) => this.#report('The app did not do this', error));
  };

  /** Lasts until it is lifted or the app ends, also over a restart of the server. */
  #pause(paused: boolean): void {
    this.#paused = paused;
    this.#supervisor?.send({ type: 'pause', paused });
    this.#window?.send('svc:on-work', this.#work());
    this.#renderMenus();
  }

  #work(): WorkState {
    return { paused: this.#paused, limits: workLimitsOf(this.#settings.get()) };
  }

  #openInbox(profile: string | undefined): void {
    if (this.#isRemoved(profile)) return;
    this.#profiles.select(profile ?? null);
    this.#showWindow();
    const origin = this.#origin();
    if (origin !== null) this.#window?.showConsole(origin, `${this.#profiles.home()}n/-/inbox`);
  }

  #renderMenus(): void {
    const phase = this.#backend().phase;
    this.#api.setMenu(menuTemplate(this.#api.platform), this.#onCommand);
    const tray = trayTemplate({ phase, runningTasks: this.#running, waiting: this.#notices.waiting(), paused: this.#paused });
    this.#api.setTray(tray, this.#onCommand);
  }

  async #shutDown(): Promise<void> {
    this.#quitting = true;
    this.#updates?.stop();
    this.#notices.reset();
    this.#parts.timers.after(SHOW_QUIT_AFTER_MS, () => this.#window?.showBoot());
    await this.#maintenance.ended();
    const gone = (await this.#supervisor?.stop(SHUTDOWN_GRACE_MS)) ?? true;
    if (!gone) this.#log('the server did not end');
  }

  #origin(): string | null {
    return this.#attached ?? this.#supervisor?.state.origin ?? null;
  }

  /** The console stays in the window while its server restarts. */
  #pageOrigin(): string | null {
    return this.#origin() ?? this.#window?.consoleOrigin ?? null;
  }

  #backend(): BackendState {
    const state = this.#supervisor?.state ?? IDLE;
    const { work } = this.#maintenance;
    if (work === null || state.phase === 'draining') return state;
    return { ...state, phase: work, origin: null, problem: null, attachable: null, log: [] };
  }

  #info(): DesktopInfo {
    const { version, platform, packaged, paths } = this.#api;
    return { version, platform, packaged, dataDir: this.#dataDir, logDir: paths.logs, keyStore: this.#keyStore, safeMode: this.#safeMode };
  }

  #log(line: string): void {
    this.#mainLog.write(`${new Date(this.#parts.timers.now()).toISOString()} ${line}`);
  }
}
