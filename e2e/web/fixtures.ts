// What browser tests share: a furnished server per file of tests, and a page that fails its test for anything a user would call broken.
import { test as base, type Page } from '@playwright/test';
import { createWorld, furnish, type World } from '../world/world.ts';

export { expect } from '@playwright/test';

export interface Signals {
  /** What has gone wrong in the page so far, one line each. */
  readonly faults: readonly string[];
  /** Faults that this test brings about on purpose: lines that match are left out. */
  allow(pattern: RegExp): void;
}

interface Fixtures {
  readonly signals: Signals;
}

interface WorkerFixtures {
  /** A server with runs of every outcome; see e2e/world. */
  readonly world: World;
  /** A server with nothing in it. */
  readonly emptyWorld: World;
}

/** Errors on the console, CSP violations, failed requests and 5xx answers. */
async function listen(page: Page, faults: string[]): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A page that is left ends its own requests.
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
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  world: [
    async ({}, use) => {
      const world = await createWorld();
      await furnish(world);
      await use(world);
      await world.dispose();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  emptyWorld: [
    async ({}, use) => {
      const world = await createWorld();
      await use(world);
      await world.dispose();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  signals: [
    async ({ page }, use) => {
      const faults: string[] = [];
      const allowed: RegExp[] = [];
      await listen(page, faults);
      await use({ faults, allow: (pattern) => void allowed.push(pattern) });
      const left = faults.filter((line) => !allowed.some((pattern) => pattern.test(line)));
      if (left.length > 0) throw new Error(`The page reported faults:\n${left.join('\n')}`);
    },
    { auto: true },
  ],
});
