// Navigation: entries, their shape at each width, pages that share an entry, and permanent addresses.
import type { Page } from '@playwright/test';
import { expectLoaded } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('the navigation lists pages by activity', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  await expect(main(page).getByRole('link', { name: 'Home' })).toHaveAttribute('aria-current', 'page');
  await expect(main(page).getByRole('list', { name: 'Build' }).getByRole('link')).toHaveText([
    ...['Systems', 'Agents', 'Experiments', 'Models', 'Tools', 'Memory', 'Triggers'],
  ]);
  await expect(main(page).getByRole('list', { name: 'Govern' }).getByRole('link')).toHaveText(['Access', 'Secrets']);
  await expect(main(page).getByRole('list', { name: 'Operate' }).getByRole('link')).toHaveText(['Workers', 'Events', 'Server']);
  await expect(main(page).getByRole('link', { name: 'Sessions' })).toHaveCount(1);
  // On a low screen Settings stay in reach, and cover no entry that a key leads to.
  await page.setViewportSize({ width: 1280, height: 480 });
  const server = main(page).getByRole('link', { name: 'Server' });
  const settings = main(page).getByRole('link', { name: 'Settings' });
  await expect(server).not.toBeInViewport();
  await expect(settings).toBeInViewport({ ratio: 1 });
  await settings.focus();
  await page.keyboard.press('Shift+Tab');
  await expect(server).toBeFocused();
  const gap = async () => {
    const { bottom } = await server.evaluate((link) => link.getBoundingClientRect().toJSON() as DOMRect);
    return (await settings.boundingBox())!.y - bottom;
  };
  await expect.poll(gap).toBeGreaterThan(0);
});

test('memories are listed under their entry and can be created', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/memories`);
  await expect(page.getByRole('heading', { level: 1, name: 'Memories' })).toBeVisible();
  await expect(main(page).getByRole('link', { name: 'Memory' })).toHaveAttribute('aria-current', 'page');
  await page.goto(`${world.url}/n/operations/new/memories`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: /You cannot create/ })).toHaveCount(0);
});

test('pages of one entry are tabs of each other, and the old address of tokens redirects to theirs', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/settings?tab=tokens`);
  await expect(page).toHaveURL(`${world.url}/n/operations/tokens`);
  await expect(main(page).getByRole('link', { name: 'Access' })).toHaveAttribute('aria-current', 'page');
  const tabs = page.getByRole('navigation', { name: 'Access' });
  await expect(tabs.getByRole('link', { name: 'API tokens' })).toHaveAttribute('aria-current', 'page');
  await tabs.getByRole('link', { name: 'Agent roles' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Agent roles' })).toBeVisible();
  await page.getByRole('link', { name: 'bookkeeper' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'bookkeeper' })).toBeVisible();
  await expect(tabs).toHaveCount(0);
});

/** All of it but a part of a pixel: places of scrolled rows are whole pixels, widths of texts are not. */
const IN_VIEW = { ratio: 0.98 };

test('the current tab is in view on a narrow window', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${world.url}/n/operations/tokens`);
  const current = page.getByRole('navigation', { name: 'Access' }).getByRole('link', { name: 'API tokens' });
  await expect(current).toBeInViewport(IN_VIEW);
  // The row is mounted again.
  await page.getByRole('link', { name: 'Agent roles' }).click();
  await page.getByRole('link', { name: 'bookkeeper' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'bookkeeper' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('link', { name: 'Agent roles' })).toBeInViewport(IN_VIEW);
  await page.goto(`${world.url}/n/operations/tasks/question-1?tab=related`);
  const related = page.getByRole('tab', { name: 'Related' });
  await expect(related).toBeInViewport(IN_VIEW);
  // A count beside another tab, or the font, arrives late; a row that somebody scrolled stays.
  const widen = (padding: string) =>
    page.getByRole('tab', { name: 'Logs' }).evaluate((tab, size) => (tab.style.paddingRight = size), padding);
  await widen('150px');
  await expect(related).toBeInViewport(IN_VIEW);
  await related.evaluate((tab) => (tab.parentElement!.scrollLeft = 0));
  await widen('250px');
  await expect(page.getByRole('tab', { name: 'Timeline' })).toBeInViewport(IN_VIEW);
});

test('the actions of a page are at the same height on every page', async ({ page, world }) => {
  const places = [
    ['dashboard', 'Run a system'],
    ['tasks', 'Run a system'],
    ['tasks/question-1', 'Retry'],
    ['model-endpoints', 'Create'],
    ['agents/billing', 'Edit'],
    ['agent-systems/service-desk', 'Run…'],
    ['import', 'Import a bundle'],
  ] as const;
  let top: number | undefined;
  for (const [path, name] of places) {
    await page.goto(`${world.url}/n/operations/${path}`);
    const action = page.locator('main header').getByText(name, { exact: true }).first();
    await expect(action).toBeVisible();
    const topOf = async () => Math.round((await action.boundingBox())?.y ?? 0);
    // The parts of a header that arrive late may move it.
    await expectLoaded(page);
    top ??= await topOf();
    await expect.poll(topOf, path).toBe(top);
  }
});

test('shortcuts open each entry', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  for (const [key, heading] of [
    ['r', 'Runs'],
    ['m', 'Model endpoints'],
    ['t', 'Tools'],
    ['v', 'Server'],
    ['h', 'Home'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  }
});

test('the navigation is a rail of icons on a medium window, and keeps its set width', async ({ page, world }) => {
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.goto(`${world.url}/n/operations/dashboard`);
  const home = main(page).getByRole('link', { name: 'Home' });
  await expect(home).toBeVisible();
  await expect(home).toHaveText('');
  await main(page).getByRole('link', { name: 'Inbox' }).hover();
  await expect(page.getByRole('tooltip')).toContainText(/Inbox: \d+ waiting/);
  const kept = page.waitForResponse(/preferences\.set/);
  await page.getByRole('button', { name: 'Expand sidebar' }).click();
  await expect(home).toHaveText('Home');
  await kept;
  await page.reload();
  await expect(home).toHaveText('Home');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Collapse sidebar' }).click();
  await expect(home).toHaveText('');
  await page.setViewportSize({ width: 1000, height: 700 });
  await expect(home).toHaveText('Home');
});

test('letters typed while the palette loads are its text and no shortcuts', async ({ page, world }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/CommandPalette.*\.js/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${world.url}/n/operations/inbox`);
  await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('approvx');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('e');
  release();
  await expect(page.getByRole('dialog', { name: 'Search and commands' }).getByRole('combobox')).toHaveValue('approve');
  await expect(page.getByRole('option', { name: /^Approve/ }).first()).toBeVisible();
});
