// The one window: which page it shows, its place on the screens, and what happens when its page crashes or does not load.
import type { AppWindow, ElectronApi } from './platform-port.ts';
import { BOOT_URL, isAppUrl, isBootUrl } from './security.ts';
import type { SettingsStore } from './settings.ts';
import { makeWindowOptions, opensApproval, planReload, restoreBounds } from './windows.ts';

export interface MainWindowOptions {
  readonly settings: SettingsStore;
  readonly hidden: boolean;
  readonly now: () => number;
  readonly keepsOnClose: () => boolean;
  readonly onClosed: () => void;
  /** The page that listened for links is gone. */
  readonly onPageGone: () => void;
}

const BACKGROUND = '#14161a';
const SAVE_AFTER_MS = 500;

export class MainWindow {
  readonly #window: AppWindow;
  readonly #options: MainWindowOptions;
  #consoleOrigin: string | null = null;
  #reloads: readonly number[] = [];
  #saving: NodeJS.Timeout | undefined;
  /** Was maximised, and is again with its first show: Electron shows a window that it maximises. */
  #toMaximize: boolean;

  constructor(api: ElectronApi, options: MainWindowOptions) {
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
        options.onClosed();
      },
      onCrashed: () => this.#onCrashed(),
      onLoadFailed: (url) => {
        if (!isBootUrl(url)) this.showBoot();
      },
    });
    this.#toMaximize = state.maximized;
  }

  /** Origin of the console that was loaded last, even while its server is down; null after the boot page replaced it. */
  get consoleOrigin(): string | null {
    return this.#consoleOrigin;
  }

  showBoot(): void {
    this.#consoleOrigin = null;
    if (!isBootUrl(this.#window.url())) this.#load(BOOT_URL);
  }

  /** Loads a page of the console. */
  showConsole(origin: string, path: string): void {
    this.#consoleOrigin = origin;
    this.#load(`${origin}${path}`);
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
    this.#toMaximize = false;
    this.#window.show();
  }

  isFocused(): boolean {
    return this.#window.isFocused();
  }

  send(channel: string, payload: unknown): void {
    this.#window.send(channel, payload);
  }

  #load(url: string): void {
    this.#options.onPageGone();
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
