// The one window: which page it shows, its place on the screens, and what happens when its page crashes or does not load.
import type { DeepLinkBuffer } from './deeplink.ts';
import type { AppWindow, ElectronApi } from './platform-port.ts';
import { BOOT_URL, isAppUrl, isBootUrl } from './security.ts';
import type { SettingsStore } from './settings.ts';
import { makeWindowOptions, opensApproval, pageToReturn, planReload, restoreBounds } from './windows.ts';

export interface MainWindowOptions {
  readonly settings: SettingsStore;
  readonly hidden: boolean;
  readonly now: () => number;
  readonly keepsOnClose: () => boolean;
  readonly onClosed: () => void;
  /** Links for the page of the console. */
  readonly links: Pick<DeepLinkBuffer, 'hold' | 'release' | 'pause'>;
}

const BACKGROUND = '#14161a';
const SAVE_AFTER_MS = 500;

export class MainWindow {
  readonly #api: Pick<ElectronApi, 'screens'>;
  readonly #window: AppWindow;
  readonly #options: MainWindowOptions;
  #consoleOrigin: string | null = null;
  /** Page of the console that the boot page replaced: path, query, fragment. */
  #left: string | null = null;
  #reloads: readonly number[] = [];
  #saving: NodeJS.Timeout | undefined;
  /** Was maximised, and is again with its first show: Electron shows a window that it maximises. */
  #toMaximize: boolean;

  constructor(api: Pick<ElectronApi, 'openWindow' | 'paths' | 'screens'>, options: MainWindowOptions) {
    this.#api = api;
    this.#options = options;
    const state = options.settings.get().window;
    const bounds = restoreBounds(state, api.screens());
    this.#window = api.openWindow(makeWindowOptions({ preload: api.paths.preload, bounds, backgroundColor: BACKGROUND }), {
      onReadyToShow: () => {
        if (!options.hidden) this.show();
      },
      onMoved: () => this.#saveSoon(),
      onClose: () => {
        // The bounds of a closed window cannot be read.
        if (this.#saving) this.#save();
        return options.keepsOnClose();
      },
      onClosed: () => {
        clearTimeout(this.#saving);
        options.links.pause();
        options.onClosed();
      },
      onNavigating: () => options.links.hold(),
      onNavigated: () => options.links.pause(),
      onSettled: () => options.links.release(),
      onCrashed: () => this.#onCrashed(),
      onLoadFailed: (url) => {
        options.links.pause();
        if (isBootUrl(url)) return;
        this.#keepPage(url);
        this.showBoot();
      },
    });
    this.#toMaximize = state.maximized;
  }

  /** Origin of the console that was loaded last, even while its server is down; null after the boot page replaced it. */
  get consoleOrigin(): string | null {
    return this.#consoleOrigin;
  }

  showBoot(): void {
    this.#keepPage(this.#window.url());
    this.#consoleOrigin = null;
    if (!isBootUrl(this.#window.url())) this.#load(BOOT_URL);
  }

  /** Loads a page of the console. */
  showConsole(origin: string, path: string): void {
    this.#left = null;
    this.#consoleOrigin = origin;
    this.#load(`${origin}${path}`);
  }

  /** Loads the page of the console that was open last, also where its server has another address now; without one the first page, at `home`. */
  returnToConsole(origin: string, home: string): void {
    this.#keepPage(this.#window.url());
    this.showConsole(origin, pageToReturn(this.#left, home));
  }

  /** Without a server its port may be another program's, whose page must not come into this window. */
  reload(origin: string | null): void {
    if (origin === null) this.showBoot();
    else this.#window.reload();
  }

  /** The data is no longer that of the page: the console begins with its first one. */
  forgetPage(): void {
    this.#left = null;
  }

  /** Whether a page of the console is shown; it reconnects by itself. */
  shows(origin: string): boolean {
    return isAppUrl(this.#window.url(), origin);
  }

  showsApproval(): boolean {
    return this.#consoleOrigin !== null && opensApproval(this.#window.url());
  }

  show(): void {
    if (this.#toMaximize) this.#window.maximize();
    else this.#returnToScreen();
    this.#toMaximize = false;
    this.#window.show();
  }

  /** The screen of a hidden window may have been removed; systems move only what they show. */
  #returnToScreen(): void {
    const { bounds, maximized } = this.#window.bounds();
    if (maximized) return;
    const { x, ...size } = restoreBounds({ bounds, maximized }, this.#api.screens());
    if (x === undefined) this.#window.centre(size);
  }

  isFocused(): boolean {
    return this.#window.isFocused();
  }

  send(channel: string, payload: unknown): void {
    this.#window.send(channel, payload);
  }

  #keepPage(url: string): void {
    if (!isAppUrl(url, this.#consoleOrigin)) return;
    const { pathname, search, hash } = new URL(url);
    this.#left = `${pathname}${search}${hash}`;
  }

  #load(url: string): void {
    this.#options.links.pause();
    // A load that fails, or is replaced by a newer one, is reported by its event.
    this.#window.load(url).catch(() => undefined);
  }

  #onCrashed(): void {
    const plan = planReload(this.#reloads, this.#options.now());
    this.#reloads = plan.reloads;
    const url = this.#window.url();
    this.#load(plan.reload && url !== '' ? url : BOOT_URL);
  }

  #saveSoon(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#save(), SAVE_AFTER_MS);
    this.#saving.unref();
  }

  #save(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const { bounds, maximized } = this.#window.bounds();
    this.#options.settings.remember({ window: { bounds, maximized: maximized || this.#toMaximize } });
  }
}
