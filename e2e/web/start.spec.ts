// The start page: it loads from the server, complete and without faults.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** Takes the network away, once the live stream is in step: a stream that gets there later would count as the network being back. */
async function goOffline(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: /^Connection to .*: Live$/ })).toBeVisible();
  await page.context().setOffline(true);
}

test('the console opens', async ({ page, world }) => {
  await page.goto(world.url);
  await expect(page).toHaveTitle(/Agent Orchestration/);
});

test('an address shortened to its namespace redirects to the dashboard there', async ({ page, world }) => {
  await page.goto(`${world.url}/n/elsewhere`);
  await expect(page).toHaveURL(`${world.url}/n/elsewhere/dashboard`);
  await expect(page.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible();
});

test('keys can be changed except to taken ones, and the change persists', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.getByRole('button', { name: 'Change the keys of “Go to Runs”' }).click();
  const keys = sheet.getByLabel(/^Keys, such as/);
  await keys.fill('g i');
  await expect(sheet.getByRole('alert')).toHaveText('Taken by “Go to Inbox”');
  await keys.fill('g o');
  const kept = page.waitForResponse(/preferences\.set/);
  await keys.press('Enter');
  await expect(sheet.getByRole('button', { name: 'Change the keys of “Go to Runs”' })).toBeFocused();
  await kept;
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  // This person's own keys apply once the server has returned them.
  await expect(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await expect(page).toHaveURL(/\/n\/operations\/tasks/, { timeout: 1_000 });
  }).toPass();
});

test.describe('without cached code', () => {
  test.use({ sharesCode: false });

  test('a page whose code cannot be loaded while the network is away reports it, and loads once it is back', async ({
    page,
    world,
    signals,
  }) => {
    signals.allow(/dynamically imported|CodeNotLoaded|ERR_INTERNET_DISCONNECTED/);
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.goto(`${world.url}/n/operations/tasks`);
    await expect(page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1)).toBeVisible();
    await goOffline(page);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await expect(page.getByText('The page is loaded as soon as it does.')).toBeVisible();
    await page.context().setOffline(false);
    await expect(page.getByRole('heading', { level: 1, name: 'Workers' })).toBeVisible();
    expect(loads).toBe(1);
  });

  test('a tab whose code cannot be loaded while the network is away loads once it is back', async ({ page, world, signals }) => {
    signals.allow(/dynamically imported|CodeNotLoaded|ERR_INTERNET_DISCONNECTED/);
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.goto(`${world.url}/n/operations/tasks/question-1`);
    await expect(page.getByRole('treegrid', { name: 'Trace' })).toBeVisible();
    await goOffline(page);
    await page.getByRole('tab', { name: 'Metrics' }).click();
    await expect(page.getByText('The part is loaded as soon as it does.')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'question-1' })).toBeVisible();
    await page.context().setOffline(false);
    await expect(page.getByRole('tab', { name: 'Metrics', selected: true })).toBeVisible();
    await expect(page.getByRole('tabpanel', { name: 'Metrics' })).toContainText('Tokens');
    expect(loads).toBe(1);
  });

  test('an editor whose code is gone leaves a typed comment, and can be retried', async ({ page, world, signals }) => {
    signals.allow(/dynamically imported|CodeNotLoaded|404/);
    await page.goto(`${world.url}/n/operations/inbox`);
    await page
      .getByRole('link', { name: /invoice-delete/ })
      .first()
      .click();
    await page.getByRole('textbox', { name: /Comment/ }).fill('Only the doubles.');
    await page.waitForLoadState('networkidle');
    await page.route(/\/assets\//, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await expect(page.getByText('This part could not be loaded.')).toBeVisible();
    await expect(page.getByRole('textbox', { name: /Comment/ })).toHaveValue('Only the doubles.');
    await page.unroute(/\/assets\//);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText('This part could not be loaded.')).toBeHidden();
    await expect(page.getByRole('textbox', { name: /Comment/ })).toHaveValue('Only the doubles.');
  });

  test('a lost request for the code of a page is repeated', async ({ page, world, signals }) => {
    signals.allow(/ERR_FAILED/);
    let requests = 0;
    // The route stays: its removal among the requests of a starting page can leave one of them without an answer.
    await page.route(/WorkersPage/, (route) => {
      requests += 1;
      return requests === 1 ? route.abort() : route.continue();
    });
    await page.goto(`${world.url}/n/operations/workers`);
    await expect(page.getByRole('heading', { level: 1, name: 'Workers' })).toBeVisible();
    expect(requests).toBeGreaterThan(1);
  });

  test('a part that cannot be loaded while the server is away leaves the page usable, and can be retried', async ({
    page,
    world,
    signals,
  }) => {
    signals.allow(/CommandPalette|CodeNotLoaded|ERR_FAILED/);
    await page.route(/CommandPalette/, (route) => route.abort());
    await page.goto(`${world.url}/n/operations/tasks`);
    await page.getByRole('button', { name: 'Namespace: operations' }).click();
    await expect(page.getByText('The command palette could not be loaded from the server.')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
    await page.unroute(/CommandPalette/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible();
  });
});

test('focus moves to the opened page, and back to the row it was opened from', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks`);
  const row = page.getByRole('grid', { name: 'Runs' }).getByRole('row').filter({ hasText: 'question-2' });
  await row.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'question-2' })).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
  await page.goBack();
  await expect(row).toBeFocused();
});

test('focus returns to the element that opened a dialog', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks`);
  const opener = page.getByRole('button', { name: 'Namespace: operations' });
  await opener.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
});

test('a pinned namespace comes first in the switcher', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  await page.getByRole('button', { name: 'Namespace: operations' }).click();
  const kept = page.waitForResponse(/preferences\.set/);
  await page.getByRole('option', { name: 'Pin operations to the top of this list' }).click();
  await kept;
  await page.goto(`${world.url}/n/default/dashboard`);
  await page.getByRole('button', { name: 'Namespace: default' }).click();
  await expect(page.getByRole('option', { name: 'operations pinned' })).toBeVisible();
  await expect(page.getByRole('option').nth(1)).toContainText('operations');
});

test('Enter before the answer opens the match of the current text, not of an earlier one', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  await field.fill('question-1');
  await expect(page.getByRole('option', { name: /^question-1/ })).toBeVisible();
  let answer = () => {};
  const typed = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/resources\.search/, async (route) => {
    await typed;
    await route.continue();
  });
  await field.fill('doomed');
  await field.press('Enter');
  answer();
  await expect(page).toHaveURL(/\/n\/operations\/tasks\/doomed$/);
});

test('the navigation drawer closes when the window becomes wide', async ({ page, world }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`${world.url}/n/operations/tasks`);
  await page.getByRole('button', { name: 'Navigation' }).click();
  const drawer = page.getByRole('dialog', { name: /navigation/ });
  await expect(drawer).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(drawer).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
});
