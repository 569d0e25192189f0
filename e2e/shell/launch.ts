// Starts the built desktop app for a test: on the double of Electron, or on a real binary. The same specs run on both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright';

const DOUBLE = join(import.meta.dirname, 'double', 'electron.sh');
const ROOT = join(import.meta.dirname, '..', '..');

/** Records of the double, and what a test changes in it. */
interface DoubleState {
  notifications: { options: { title: string; body: string; actions: object[] }; emit(event: string, ...values: unknown[]): boolean }[];
  opened: string[];
  confirmed: { message: string; detail: string }[];
  answer: boolean;
  badge: number;
  tray: { tooltip: string };
  theme: string;
  keychain: string;
  /** Path that the next save dialog answers with, or a folder for the name that it offers. */
  target?: string;
  folder?: string;
  /** Properties of the last dialog for files to open. */
  picking?: string[];
  server: { pid: number };
}

export interface Desktop {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly userData: string;
  /** Milliseconds from the launch to a usable console; undefined until `console()` has resolved. */
  readonly console: () => Promise<number>;
  /** Opens the window again after its page was closed, for an app that runs in the background. */
  openWindow(): Promise<Page>;
  /** Closes the window's page; the close button would only hide the window of an app that runs in the background. */
  closeWindow(page: Page): Promise<void>;
  /** A blank page that is not a window of the app. Chromium forgets cookies when its last page closes. */
  openAnchor(): Promise<Page>;
  /** Reads or changes the state of the double in the main process. */
  state<T>(work: (state: DoubleState) => T): Promise<T>;
  close(): Promise<void>;
}

export interface LaunchOptions {
  readonly userData?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A real binary in place of the double. */
  readonly binary?: string;
}

/** A busy Chromium may leave the command that closes a page without an answer: it is sent again after this time. */
const CLOSE_AGAIN_MS = 5_000;

export async function launchDesktop({ userData, args = [], env = {}, binary }: LaunchOptions = {}): Promise<Desktop> {
  const directory = userData ?? mkdtempSync(join(tmpdir(), 'svc-desktop-'));
  const began = performance.now();
  const app = await _electron.launch({
    executablePath: binary ?? DOUBLE,
    args: [...(binary === undefined ? [] : [ROOT, '--user-data-dir', directory]), ...args],
    env: { ...(process.env as Record<string, string>), SVC_DOUBLE_USER_DATA: directory, ...env },
  });
  const page = await app.firstWindow();
  return {
    app,
    page,
    userData: directory,
    async console() {
      await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\//, { timeout: 30_000, waitUntil: 'commit' });
      // Checked at each frame: the polls of a locator are up to half a second apart, and each reads the roles of the whole page.
      await page.waitForFunction(() => document.querySelector('main :is(h1, h2)'), undefined, { polling: 'raf', timeout: 30_000 });
      return performance.now() - began;
    },
    async openWindow() {
      // As a click on the dock does once the window is closed.
      const [opened] = await Promise.all([app.waitForEvent('window'), app.evaluate(({ app: own }) => own.emit('activate'))]);
      await opened.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\//, { timeout: 30_000 });
      return opened;
    },
    async closeWindow(closed) {
      const again = setTimeout(() => void closed.close().catch(() => undefined), CLOSE_AGAIN_MS);
      await Promise.all([
        closed.waitForEvent('close'),
        app.evaluate(({ BrowserWindow }) => {
          for (const each of BrowserWindow.getAllWindows()) each.destroy();
        }),
      ]).finally(() => clearTimeout(again));
    },
    async openAnchor() {
      const [anchor] = await Promise.all([
        app.waitForEvent('window'),
        app.evaluate((electron) => (electron as unknown as { double: { openTarget(): Promise<void> } }).double.openTarget()),
      ]);
      return anchor;
    },
    state: (work) =>
      app.evaluate((electron, source) => {
        const { double } = electron as unknown as { double: { state: object } };
        return (0, eval)(`(${source})`)(double.state);
      }, work.toString()),
    async close() {
      await app.close();
      if (userData === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}
