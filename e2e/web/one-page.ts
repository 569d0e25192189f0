// One page for tests that each open a screen and change nothing, reset every time to an empty local storage and no cookies. Fetched and
// compiled code stays, which is most of the cost of a visit.
import type { BrowserContext } from '@playwright/test';
import { test as base } from './fixtures.ts';

/** Runs before any script of a document and clears the local storage of earlier visits; drafts, which no such test makes, would stay. */
function forget(): void {
  // A blank page has no storage.
  if (window.origin !== 'null') localStorage.clear();
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
