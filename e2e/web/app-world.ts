// Worlds for tests in the desktop app: each is the server inside an app of its own, and the window of that app shows the pages.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type BrowserContext, type Page } from '@playwright/test';
import { launchDesktop, type Desktop } from '../shell/launch.ts';
import { worldOf, type World } from '../world/world.ts';

export interface AppWorld extends World {
  readonly desktop: Desktop;
  readonly context: BrowserContext;
  /** A new window, as after a click on the tray. The app has one at a time. */
  openPage(): Promise<Page>;
  /** The window of the test before, or a new one: for tests that change nothing. */
  samePage(): Promise<Page>;
  /** Closes the window and removes what its pages stored, but not the sign-in of the app. */
  closePage(page: Page): Promise<void>;
  /** Resolves with the file that the app saves next. */
  savedFile(): Promise<SavedFile>;
  /** Adds another server to the app. Resolves with the address at which the window shows it. */
  showServer(server: { readonly id: string; readonly url: string; readonly token?: string }): Promise<string>;
}

export interface SavedFile {
  readonly name: string;
  readonly path: string;
}

const STORED = 'local_storage,indexeddb,cache_storage,service_workers';
/** The app must outlive its window. */
const SETTINGS = { notifications: { enabled: true, whenFocused: false, quietHours: null, background: true } };

interface Bridge {
  readonly profiles: { save(draft: object): Promise<unknown> };
}

/** `env` is the environment in which the app is started. */
export async function openAppWorld(env: Readonly<Record<string, string>> = {}): Promise<AppWorld> {
  const userData = mkdtempSync(join(tmpdir(), 'svc-app-world-'));
  writeFileSync(join(userData, 'desktop.json'), JSON.stringify(SETTINGS));
  const desktop = await launchDesktop({ userData, env });
  await desktop.console();
  const { app, page: first } = desktop;
  const url = new URL(first.url()).origin;
  const context = app.context();
  const folder = mkdtempSync(join(userData, 'saved-'));
  await app.evaluate((electron, path) => {
    (electron as unknown as { double: { state: { folder: string } } }).double.state.folder = path;
  }, folder);
  const anchor = await desktop.openAnchor();
  const storage = await context.newCDPSession(anchor);
  await desktop.closeWindow(first);
  const windowPage = () => context.pages().find((each) => each !== anchor);
  const world = worldOf({
    url,
    person: 'desktop',
    async headers() {
      const cookies = await context.cookies(url);
      return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '), origin: url };
    },
    async dispose() {
      await desktop.close();
      rmSync(userData, { recursive: true, force: true });
    },
  });
  return {
    ...world,
    desktop,
    context,
    openPage: () => desktop.openWindow(),
    samePage: async () => windowPage() ?? desktop.openWindow(),
    async closePage(page) {
      await context.setOffline(false);
      await context.clearPermissions();
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await desktop.closeWindow(page);
      await storage.send('Storage.clearDataForOrigin', { origin: url, storageTypes: STORED });
    },
    async savedFile() {
      const name = await app.evaluate((electron) => {
        const { state } = (electron as unknown as { double: { state: { onSave?: (name: string) => void } } }).double;
        return new Promise<string>((resolve) => (state.onSave = resolve));
      });
      const path = join(folder, name);
      await expect.poll(() => statSync(path, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0);
      return { name, path };
    },
    async showServer({ id, url: origin, token }) {
      const page = windowPage();
      const profile = { id, name: id, origin, ...(token !== undefined && { token }) };
      await page?.evaluate((draft) => (window as unknown as { svcDesktop: Bridge }).svcDesktop.profiles.save(draft), profile);
      return `${url}/p/${id}`;
    },
  };
}
