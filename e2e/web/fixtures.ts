// Fixtures shared by browser tests: a seeded server per test file, and a page that fails its test for every fault that a user would
// notice. Each runs in a browser, and in the window of the desktop app with that app's own server; see `target`.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test as base, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { createWorld, seedWorld, type World, type WorldOptions } from '../world/world.ts';
import { openAppWorld, type AppWorld, type SavedFile } from './app-world.ts';

export { expect } from '@playwright/test';

interface Signals {
  /** Faults in the page so far, one line each. */
  readonly faults: readonly string[];
  /** Faults that this test causes on purpose: matching lines are left out. */
  allow(pattern: RegExp): void;
}

interface Fixtures {
  readonly signals: Signals;
  /** A server with runs of every outcome, shared by the tests of one file; see e2e/world. */
  readonly world: World;
  /** A server with nothing in it, shared by the tests of one file. */
  readonly emptyWorld: World;
  /**
   * Tests of a worker share one browser context and its page, because a new renderer process, and fetching and compiling the console, are more
   * than half the cost of a visit; storage, history, routes and permissions are new for each. False: no code is cached either, for tests in
   * which it fails to load.
   */
  readonly sharesCode: boolean;
  /** The app whose window is the page of this test; undefined in a browser. */
  readonly app: AppWorld | undefined;
  /** Page of another browser, in which the same person is signed in. */
  readonly otherBrowser: Page;
  /** Saves a file by `action`, through the browser's download or the dialog of the app, which takes up to 1 MB. */
  readonly saves: (action: () => Promise<void>) => Promise<SavedFile>;
}

type WorldKind = 'seeded' | 'empty';

/** Servers of the current test file; those of the previous file are stopped. */
interface Worlds {
  of(file: string, kind: WorldKind): Promise<World>;
  /** A server with settings of its own, which the file disposes. */
  open(options: WorldOptions): Promise<World>;
  /** The server whose app shows a test that names none: the one of the file's own, or the last that a test of the file named. */
  last(file: string): Promise<World>;
}

interface OpenContext {
  readonly context: BrowserContext;
  readonly options: string;
  /** Origins that pages were on since the last test. */
  readonly origins: Set<string>;
  page: Page;
}

interface SharedContext {
  current: OpenContext | undefined;
}

interface WorkerFixtures {
  /** Where the pages are: in a browser beside servers as they run headless, or in the desktop app around its own server. */
  readonly target: 'browser' | 'window';
  readonly worlds: Worlds;
  /** Starts a server for the tests of one file. The app gets its environment; flags are for headless servers, as the app sets its own. */
  readonly openWorld: (options?: WorldOptions) => Promise<World>;
  readonly sharedContext: SharedContext;
}

const STARTING_MS = 120_000;

/** Starts a server at the address of the last one in this place, if it is free: browsers keep fetched and compiled code by origin. */
async function createWorldAt(addresses: Map<string, string>, place: string, options: WorldOptions): Promise<World> {
  const address = addresses.get(place);
  const args = ['--addr', address ?? '127.0.0.1:0', ...(options.args ?? [])];
  const world = await createWorld({ ...options, args }).catch((error: unknown) => {
    if (address === undefined) throw error;
    return createWorld(options);
  });
  addresses.set(place, new URL(world.url).host);
  return world;
}

/** Runs and approvals of a seeded server expire, and pages show ages. */
const SEEDED_AGE_MAX_MS = 120_000;

/** Data of a seeded server, to start others on copies of it: seeding takes twice as long as starting. */
function seededData() {
  let made: { readonly dir: string; readonly at: number } | undefined;
  const remove = () => made !== undefined && rmSync(made.dir, { recursive: true, force: true });
  const copy = async (): Promise<string> => {
    if (made === undefined || Date.now() - made.at > SEEDED_AGE_MAX_MS) {
      remove();
      const world = await createWorld();
      await seedWorld(world);
      await world.server.end();
      made = { dir: world.server.dataDir, at: Date.now() };
    }
    const dir = mkdtempSync(join(tmpdir(), 'svcd-'));
    cpSync(made.dir, dir, { recursive: true });
    return dir;
  };
  return { copy, remove };
}

function openWorlds(target: WorkerFixtures['target']): Worlds & { close(): Promise<void> } {
  const worlds = new Map<WorldKind, World>();
  const addresses = new Map<string, string>();
  let current = '';
  let lastKind: WorldKind = 'empty';
  let own: World | undefined;
  const start = (options: WorldOptions, place: WorldKind | 'own') =>
    target === 'window' ? openAppWorld(options.env) : createWorldAt(addresses, place, options);
  const seeded = seededData();
  const startSeeded = async () => {
    if (target === 'browser') return start({ dataDir: await seeded.copy() }, 'seeded');
    const world = await start({}, 'seeded');
    await seedWorld(world);
    return world;
  };
  const disposeAll = async () => {
    for (const world of worlds.values()) await world.dispose();
    worlds.clear();
  };
  const of = async (file: string, kind: WorldKind) => {
    if (file !== current) await disposeAll();
    current = file;
    lastKind = kind;
    const world = worlds.get(kind) ?? (await (kind === 'seeded' ? startSeeded() : start({}, kind)));
    worlds.set(kind, world);
    return world;
  };
  const close = async () => {
    await disposeAll();
    seeded.remove();
  };
  const open = async (options: WorldOptions) => {
    const world = await start(options, 'own');
    const dispose = () => {
      own = undefined;
      return world.dispose();
    };
    return (own = { ...world, dispose });
  };
  return { of, open, last: async (file) => own ?? (await of(file, file === current ? lastKind : 'empty')), close };
}

/** Names of the fixtures that a test takes: of two worlds, its page is in the one that it names. */
function fixturesOf(test: (...args: never[]) => unknown): readonly string[] {
  const [, names = ''] = /^[^(]*\(\s*\{([^}]*)\}/.exec(String(test)) ?? [];
  return names.split(',').map((name) => name.split(':')[0]?.trim() ?? '');
}

/** Milliseconds by which each frame of a page is late, to find what depends on a fast one; see CONTRIBUTING.md. */
const FRAME_DELAY_MS = Number(process.env['SVC_FRAME_DELAY_MS'] ?? 0);

function delayFrames(ms: number): void {
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => window.setTimeout(() => request(draw), ms);
  window.cancelAnimationFrame = (id) => window.clearTimeout(id);
}

/** Faults recorded for each page, which may serve several tests. */
const faultsByPage = new WeakMap<Page, string[]>();

/** Errors on the console, CSP violations, failed requests and 5xx answers, from now on. */
async function listen(page: Page): Promise<readonly string[]> {
  const known = faultsByPage.get(page);
  if (known !== undefined) {
    known.length = 0;
    return known;
  }
  const faults: string[] = [];
  faultsByPage.set(page, faults);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A page being left aborts its own requests.
    if (why !== 'net::ERR_ABORTED') faults.push(`request failed: ${request.url()} ${why}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`answer ${response.status()}: ${response.url()}`);
  });
  await page.exposeFunction('reportViolation', (line: string) => faults.push(`CSP: ${line}`));
  if (FRAME_DELAY_MS > 0) await page.addInitScript(delayFrames, FRAME_DELAY_MS);
  await page.addInitScript(() => {
    const report = (window as unknown as { reportViolation: (line: string) => void }).reportViolation;
    document.addEventListener('securitypolicyviolation', (event) => {
      report(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile ?? ''}:${event.lineNumber}`);
    });
  });
  return faults;
}

/** Pages in which a test left something that no call removes. */
const marked = new WeakSet<Page>();

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await listen(page);
  const { clock } = page;
  Object.defineProperty(page, 'clock', { get: () => (marked.add(page), clock) });
  for (const name of ['addInitScript', 'addLocatorHandler', 'exposeFunction', 'exposeBinding', 'on', 'setExtraHTTPHeaders'] as const) {
    const call = page[name].bind(page) as (...args: unknown[]) => unknown;
    Object.assign(page, {
      [name](...args: unknown[]) {
        marked.add(page);
        return call(...args);
      },
    });
  }
  return page;
}

async function openContext(browser: Browser, options: string): Promise<OpenContext> {
  const context = await browser.newContext();
  const origins = new Set<string>();
  context.on('request', (request) => {
    if (request.isNavigationRequest()) origins.add(new URL(request.url()).origin);
  });
  return { context, options, origins, page: await openPage(context) };
}

/** A document without scripts, of the site that keeps the renderer process. */
const BLANK = '/healthz';

/** Leaves the page as a new one. Resolves with false where the page cannot be: it must be closed. */
async function clear({ page, origins }: OpenContext, { viewport, colorScheme, reducedMotion }: PageOptions): Promise<boolean> {
  const [origin] = origins;
  if (marked.has(page) || origins.size > 1) return false;
  if (origin === undefined) return true;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const response = await page.goto(origin + BLANK, { timeout: 5_000 }).catch(() => null);
  if (response === null) return false;
  await page.evaluate(() => sessionStorage.clear());
  await page.mouse.move(-1, -1);
  await page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors: null, contrast: null });
  if (viewport !== null) await page.setViewportSize(viewport);
  return true;
}

/** Removes everything but fetched code. */
async function reset(current: OpenContext, options: PageOptions): Promise<void> {
  const { context, origins } = current;
  for (const page of context.pages()) if (page !== current.page) await page.close();
  await context.setOffline(false);
  if (!(await clear(current, options))) {
    const { page } = current;
    current.page = await openPage(context);
    await page.close();
  }
  await context.clearPermissions();
  await context.clearCookies();
  const session = await context.newCDPSession(current.page);
  const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers';
  for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes });
  await session.send('Page.resetNavigationHistory');
  await session.detach();
  origins.clear();
}

/** A reset takes a tenth of a second. Past this time the browser has left a command without an answer. */
const RESET_MAX_MS = 10_000;

/** False where it takes too long: the context is not used again. Rejects with the work. */
function endsInTime(work: Promise<void>): Promise<boolean> {
  // Its late end, as the context closes, is of no interest.
  work.catch(() => undefined);
  return Promise.race([work.then(() => true), delay(RESET_MAX_MS, false, { ref: false })]);
}

interface PageOptions {
  readonly viewport: { readonly width: number; readonly height: number } | null;
  readonly colorScheme: 'light' | 'dark' | 'no-preference' | null;
  readonly reducedMotion: 'reduce' | 'no-preference' | null;
  readonly baseURL: string | undefined;
}

/** Gives a window the options that contexts of a browser have. */
async function adoptOptions(page: Page, { viewport, colorScheme, reducedMotion, baseURL }: PageOptions): Promise<void> {
  if (viewport !== null) await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion });
  if (baseURL === undefined) return;
  const goto = page.goto.bind(page);
  page.goto = (url, options) => goto(new URL(url, baseURL).href, options);
}

/** Leaves the tests of a file out of the window of the desktop app, where they have no meaning. */
export function browserOnly(reason: string): void {
  test.skip(({ target }) => target === 'window', reason);
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  target: ['browser', { option: true, scope: 'worker' }],
  worlds: [
    async ({ target }, use) => {
      const worlds = openWorlds(target);
      await use(worlds);
      await worlds.close();
    },
    { scope: 'worker', timeout: STARTING_MS },
  ],
  openWorld: [async ({ worlds }, use) => use((options = {}) => worlds.open(options)), { scope: 'worker' }],
  sharedContext: [
    async ({}, use) => {
      const shared: SharedContext = { current: undefined };
      await use(shared);
      await shared.current?.context.close();
    },
    { scope: 'worker' },
  ],
  sharesCode: [true, { option: true }],
  app: [
    async ({ target, worlds }, use, { file, fn }) => {
      if (target === 'browser') return use(undefined);
      const names = fixturesOf(fn as () => unknown);
      const kind = names.includes('emptyWorld') ? 'empty' : names.includes('world') ? 'seeded' : undefined;
      return use((await (kind === undefined ? worlds.last(file) : worlds.of(file, kind))) as AppWorld);
    },
    { timeout: STARTING_MS },
  ],
  context: async ({ app, sharedContext: shared, sharesCode, browser, baseURL, viewport, colorScheme, reducedMotion }, use) => {
    if (app !== undefined) return use(app.context);
    const pageOptions = { baseURL, viewport, colorScheme, reducedMotion };
    const options = JSON.stringify(pageOptions);
    if (!sharesCode || shared.current?.options !== options) {
      await shared.current?.context.close();
      shared.current = await openContext(browser, options);
    }
    await use(shared.current.context);
    if (await endsInTime(reset(shared.current, pageOptions))) return;
    const { context } = shared.current;
    shared.current = undefined;
    await context.close();
  },
  page: async ({ app, context: _context, sharedContext, viewport, colorScheme, reducedMotion, baseURL }, use, info) => {
    if (app === undefined) return use(sharedContext.current!.page);
    const page = await app.openPage();
    await adoptOptions(page, { viewport, colorScheme, reducedMotion, baseURL });
    await use(page);
    // Playwright takes pictures of failures in browsers only.
    if (info.status !== info.expectedStatus) await page.screenshot({ path: info.outputPath('window.png') });
    await app.closePage(page);
  },
  otherBrowser: async ({ app, browser }, use) => {
    const context = await browser.newContext();
    if (app !== undefined) await context.addCookies(await app.context.cookies());
    await use(await context.newPage());
    await context.close();
  },
  saves: async ({ app, page }, use) => {
    await use(async (action) => {
      const saved =
        app?.savedFile() ??
        page.waitForEvent('download').then(async (download) => ({ name: download.suggestedFilename(), path: await download.path() }));
      saved.catch(() => undefined);
      await action();
      return saved;
    });
  },
  world: [async ({ worlds }, use, { file }) => use(await worlds.of(file, 'seeded')), { timeout: STARTING_MS }],
  emptyWorld: [async ({ worlds }, use, { file }) => use(await worlds.of(file, 'empty')), { timeout: STARTING_MS }],
  signals: [
    async ({ page }, use) => {
      const allowed: RegExp[] = [];
      const faults = await listen(page);
      await use({ faults, allow: (pattern) => void allowed.push(pattern) });
      const left = faults.filter((line) => !allowed.some((pattern) => pattern.test(line)));
      if (left.length > 0) throw new Error(`The page reported faults:\n${left.join('\n')}`);
    },
    { auto: true },
  ],
});
