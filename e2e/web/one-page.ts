// One page for tests that each open a screen and change nothing. The document, with fetched and compiled code, stays from test to test, which is
// most of the cost of a visit; a new document begins with an empty local storage and no cookies.
import type { BrowserContext, Page } from '@playwright/test';
import { test as base } from './fixtures.ts';

/** Runs before any script of a document and clears the local storage of earlier visits; drafts, which no such test makes, would stay. */
function forget(): void {
  // A blank page has no storage.
  if (window.origin !== 'null') localStorage.clear();
}

interface Router {
  readonly latestLocation: { readonly href: string };
  readonly state: { readonly status: string; readonly resolvedLocation?: { readonly href: string } };
}

/**
 * Opens an address of a server within the document that the page has of it, as a link of the console does; the first one loads a document.
 * Resolves once the console shows what belongs to the address. A document of its own for each screen took longer than to show and inspect it.
 */
export async function visit(page: Page, origin: string, path: string): Promise<void> {
  if (new URL(page.url()).origin !== new URL(origin).origin) {
    await page.goto(origin + path);
    return;
  }
  await page.evaluate((to) => history.pushState(null, '', to), path);
  await page.waitForFunction(() => {
    const { latestLocation, state } = (window as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__;
    return state.status === 'idle' && state.resolvedLocation?.href === latestLocation.href;
  });
}

interface Holder {
  context: BrowserContext | undefined;
}

export const test = base.extend<object, { readonly holder: Holder }>({
  holder: [
    async ({}, use) => {
      const holder: Holder = { context: undefined };
      await use(holder);
      await holder.context?.close();
    },
    { scope: 'worker' },
  ],
  context: async ({ app, holder, browser, viewport, colorScheme }, use) => {
    if (app !== undefined) return use(app.context);
    if (holder.context === undefined) {
      holder.context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
      await holder.context.addInitScript(forget);
    }
    await holder.context.clearCookies();
    await use(holder.context);
  },
  page: async ({ app, context, viewport, colorScheme }, use) => {
    if (app !== undefined) {
      const page = await app.samePage();
      if (viewport !== null) await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      return use(page);
    }
    const page = context.pages()[0] ?? (await context.newPage());
    await page.emulateMedia({ colorScheme });
    await use(page);
  },
});
