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
  target?: string;
  server: { pid: number };
}

export interface Desktop {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly userData: string;
  /** Milliseconds from the launch to a usable console; undefined until `console()` has resolved. */
  readonly console: () => Promise<number>;
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
      await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\//, { timeout: 30_000 });
      await page.getByRole('main').getByRole('heading').first().waitFor({ timeout: 30_000 });
      return performance.now() - began;
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
