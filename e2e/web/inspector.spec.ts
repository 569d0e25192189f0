// The inspector: one object of any kind beside every page, by its address.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const inspector = (page: Page, name: string) => page.getByRole('complementary', { name });

test('Space opens the focused row in the inspector, which follows the arrows and closes by Escape', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/agents`);
  const billing = page.getByRole('row', { name: /billing/ });
  await billing.focus();
  await page.keyboard.press('Space');
  await expect(inspector(page, 'Agent: billing').getByText('clean up the ledger')).toBeVisible();
  await expect(page).toHaveURL(/[?&]peek=Agent%2Foperations%2Fbilling$/);
  await expect(billing).toBeFocused();
  await page.keyboard.press('j');
  await expect(inspector(page, 'Agent: collector')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('complementary')).toHaveCount(0);
  await expect(page).toHaveURL(`${world.url}/n/operations/agents`);
  await expect(page.getByRole('row', { name: /collector/ })).toBeFocused();
});

test('a click on the button of a row opens the inspector, which takes the focus and returns it', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tools`);
  const row = page.getByRole('row', { name: /invoice-delete/ });
  await row.hover();
  await row.getByRole('button', { name: 'Inspect invoice-delete' }).click();
  await expect(inspector(page, 'Tool: invoice-delete')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(row.getByRole('button', { name: 'Inspect invoice-delete' })).toBeFocused();
});

test('the focus returns to the list of an inspected row that was deleted', async ({ page, world, signals }) => {
  signals.allow(/404/);
  for (const [name, by] of [
    ['fleeting-1', 'Space'],
    ['fleeting-2', 'click'],
  ] as const) {
    await world.apply(JSON.stringify({ kind: 'Agent', metadata: { name }, spec: { model_ref: 'desk-model' } }), 'operations');
    await page.goto(`${world.url}/n/operations/agents`);
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.focus();
    if (by === 'Space') await page.keyboard.press('Space');
    else await row.getByRole('button', { name: `Inspect ${name}` }).click();
    await expect(inspector(page, `Agent: ${name}`)).toBeVisible();
    await world.call('DELETE', `/v1/agents/${name}?namespace=operations`);
    await expect(row).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary')).toHaveCount(0);
    await expect(page.locator('body')).not.toBeFocused();
  }
});

test('tabs and related objects stay in the inspector, a reload keeps it, and Back closes it', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/agents?q=bil`);
  const row = page.getByRole('row', { name: /billing/ });
  await row.hover();
  await row.getByRole('button', { name: 'Inspect billing' }).click();
  await inspector(page, 'Agent: billing').getByRole('tab', { name: 'Relations' }).click();
  await inspector(page, 'Agent: billing').getByRole('link', { name: 'invoice-delete' }).click();
  await inspector(page, 'Tool: invoice-delete').getByRole('tab', { name: 'YAML' }).click();
  await page.reload();
  const yaml = inspector(page, 'Tool: invoice-delete').getByRole('textbox', { name: 'YAML of Tool operations/invoice-delete' });
  await expect(yaml).toContainText('kind: Tool');
  await page.goBack();
  await expect(page.getByRole('complementary')).toHaveCount(0);
  await expect(page).toHaveURL(`${world.url}/n/operations/agents?q=bil`);
});

test('a run opens in the inspector with its result, and its page from there', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks?peek=Task/operations/doomed`);
  const run = inspector(page, 'Run: doomed');
  await expect(run.getByRole('region', { name: 'Failure' })).toContainText('The provider is overloaded');
  await run.getByRole('link', { name: 'unreliable' }).click();
  await inspector(page, 'Agent system: unreliable').getByRole('link', { name: 'Open page' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'unreliable' })).toBeVisible();
  await expect(page.getByRole('complementary', { name: 'Agent system: unreliable' })).toHaveCount(0);
});

test('a related object of an approval opens beside the inbox, without leaving the unsent decision', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/inbox`);
  await expect(page.getByRole('complementary', { name: 'Context' }).getByRole('link', { name: 'service-desk' })).toBeVisible();
  await page.getByRole('link', { name: 'billing', exact: true }).click();
  await expect(inspector(page, 'Agent: billing')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
});

test('the old address of a worker opens it in the inspector', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/workers`);
  const name = (await page.getByRole('row').nth(1).getByRole('rowheader').textContent()) ?? '';
  await page.goto(`${world.url}/n/operations/workers?worker=default/${name}`);
  await expect(inspector(page, `Worker: ${name}`).getByText('Held runs')).toBeVisible();
  await expect(page).toHaveURL(/peek=Worker/);
});

// Another browser: a route of WebSockets stays with its page.
test('the runs held by a worker are read where a proxy lets no WebSocket through', async ({ otherBrowser: page, world }) => {
  await page.routeWebSocket(/\/trpc/, (socket) => socket.close());
  await page.goto(`${world.url}/n/operations/workers`);
  const name = (await page.getByRole('row').nth(1).getByRole('rowheader').textContent()) ?? '';
  await page.goto(`${world.url}/n/operations/workers?worker=default/${name}`);
  const held = inspector(page, `Worker: ${name}`).getByRole('region', { name: 'Held runs' });
  await expect(held.getByText('No held runs.').or(held.getByRole('listitem').first())).toBeVisible();
});

test('a missing object is explained, and an invalid reference opens nothing', async ({ page, world, signals }) => {
  signals.allow(/404/);
  await page.goto(`${world.url}/n/operations/agents?peek=Agent/operations/nobody`);
  await expect(page.getByRole('heading', { name: 'nobody does not exist' })).toBeVisible();
  await page.goto(`${world.url}/n/operations/agents?peek=nonsense`);
  await expect(page.getByRole('row', { name: /billing/ })).toBeVisible();
  await expect(page.getByRole('complementary')).toHaveCount(0);
});

test('the inspector remembers its width', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/agents?peek=Agent/operations/billing`);
  const width = async () => (await inspector(page, 'Agent: billing').boundingBox())?.width;
  await expect(inspector(page, 'Agent: billing')).toBeVisible();
  const before = (await width()) ?? 0;
  await page.getByRole('separator', { name: 'Width of the inspector' }).focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(width).toBe(before + 64);
  await page.reload();
  await expect.poll(width).toBe(before + 64);
});

test('the edge of the inspector shows its focus in forced colours', async ({ page, world }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${world.url}/n/operations/agents?peek=Agent/operations/billing`);
  const edge = page.getByRole('separator', { name: 'Width of the inspector' });
  await edge.waitFor();
  await page.keyboard.press('Tab');
  await edge.focus();
  await expect(edge).toHaveCSS('outline-style', 'solid');
});

test('the inspector covers the page of a narrow window, which takes neither focus nor clicks', async ({ page, world }) => {
  await page.setViewportSize({ width: 400, height: 800 });
  await page.goto(`${world.url}/n/operations/agents?peek=Agent/operations/billing`);
  await expect(inspector(page, 'Agent: billing')).toBeFocused();
  await expect.poll(() => inspector(page, 'Agent: billing').boundingBox()).toMatchObject({ x: 0, width: 400, height: 800 });
  await expect(page.locator('[inert] main')).toHaveCount(1);
  await page.getByRole('button', { name: 'Close inspector' }).click();
  await expect(page.locator('[inert]')).toHaveCount(0);
});

test('the inspector has no accessibility violations', async ({ page, world }) => {
  for (const peek of ['Agent/operations/billing', 'Task/operations/doomed', 'Agent/operations/billing/relations']) {
    await page.goto(`${world.url}/n/operations/agents?peek=${peek}`);
    await expect(page.getByRole('complementary').getByRole('tab', { selected: true })).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    await expectNoBarriers(page, { without: ['empty-table-header'], strict: true });
  }
});
