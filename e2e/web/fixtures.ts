// Fixtures shared by browser tests: a furnished server per test file, and a page that fails its test for every fault that a user would
// notice.
import { test as base, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { createWorld, furnish, type World } from '../world/world.ts';

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
   * Tests of a worker share one browser context, because fetching and compiling the console is half the cost of a visit; pages, storage and
   * permissions are new for each. False: no code is cached either, for tests in which it fails to load.
   */
  readonly sharesCode: boolean;
}

type WorldKind = 'furnished' | 'empty';

/** Servers of the current test file; those of the previous file are stopped. */
interface Worlds {
  of(file: string, kind: WorldKind): Promise<World>;
}

interface OpenContext {
  readonly context: BrowserContext;
  readonly options: string;
  /** Origins that pages were on since the last test. */
  readonly origins: Set<string>;
  /** Stays open, so that the renderer process does: it is one per site. */
  readonly anchor: Page;
}

interface SharedContext {
  current: OpenContext | undefined;
}

interface WorkerFixtures {
  readonly worlds: Worlds;
  readonly sharedContext: SharedContext;
}

const STARTING_MS = 120_000;

async function openWorld(kind: WorldKind): Promise<World> {
  const world = await createWorld();
  if (kind === 'furnished') await furnish(world);
  return world;
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
  await page.addInitScript(() => {
    const report = (window as unknown as { reportViolation: (line: string) => void }).reportViolation;
    document.addEventListener('securitypolicyviolation', (event) => {
      report(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile ?? ''}:${event.lineNumber}`);
    });
  });
  return faults;
}

async function openContext(browser: Browser, options: string): Promise<OpenContext> {
  const context = await browser.newContext();
  const origins = new Set<string>();
  context.on('request', (request) => {
    if (request.isNavigationRequest()) origins.add(new URL(request.url()).origin);
  });
  return { context, options, origins, anchor: await context.newPage() };
}

/** Removes everything but fetched code. */
async function reset({ context, origins, anchor }: OpenContext): Promise<void> {
  for (const page of context.pages()) if (page !== anchor) await page.close();
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  const session = await context.newCDPSession(anchor);
  const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers';
  for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes });
  await session.detach();
  origins.clear();
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  worlds: [
    async ({}, use) => {
      const open = new Map<WorldKind, World>();
      let current = '';
      const disposeAll = async () => {
        for (const world of open.values()) await world.dispose();
        open.clear();
      };
      await use({
        async of(file, kind) {
          if (file !== current) await disposeAll();
          current = file;
          const world = open.get(kind) ?? (await openWorld(kind));
          open.set(kind, world);
          return world;
        },
      });
      await disposeAll();
    },
    { scope: 'worker', timeout: STARTING_MS },
  ],
  sharedContext: [
    async ({}, use) => {
      const shared: SharedContext = { current: undefined };
      await use(shared);
      await shared.current?.context.close();
    },
    { scope: 'worker' },
  ],
  sharesCode: [true, { option: true }],
  context: async ({ sharedContext: shared, sharesCode, browser, baseURL, viewport, colorScheme }, use) => {
    const options = JSON.stringify({ baseURL, viewport, colorScheme });
    if (!sharesCode || shared.current?.options !== options) {
      await shared.current?.context.close();
      shared.current = await openContext(browser, options);
    }
    await use(shared.current.context);
    await reset(shared.current);
  },
  world: [async ({ worlds }, use, { file }) => use(await worlds.of(file, 'furnished')), { timeout: STARTING_MS }],
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
