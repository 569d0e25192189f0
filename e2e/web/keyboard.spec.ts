// The console without a pointer: each step leads on by a key, and the focus is never lost.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const onCanvas = (page: Page, name: RegExp) => page.getByRole('group', { name });

async function openDesigner(page: Page, url: string, item: string): Promise<void> {
  await page.goto(`${url}/n/operations/agent-systems/service-desk?item=${encodeURIComponent(item)}`);
  await expect(inspector(page).getByRole('heading', { name: item })).toBeVisible({ timeout: FIRST_LOOK_MS });
  await expect(inspector(page).getByRole('textbox', { name: 'Prompt' })).toBeVisible();
}

test('Enter leads from an agent to its prompt, and Escape back', async ({ page, world }) => {
  await openDesigner(page, world.url, 'triage');
  const card = onCanvas(page, /^Agent triage/);
  await card.focus();
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByRole('textbox', { name: 'Prompt' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(card).toBeFocused();
  await expect(inspector(page).getByRole('heading', { name: 'triage' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/item=/);
});

test('a connection gets a label by keys alone', async ({ page, world }) => {
  await openDesigner(page, world.url, 'triage');
  const route = onCanvas(page, /^Connection from triage to billing/);
  await route.focus();
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByRole('heading', { name: 'triage → billing' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByRole('combobox', { name: 'Taken' })).toBeFocused();
  await inspector(page).getByRole('button', { name: 'Label', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByRole('textbox', { name: 'New label' })).toBeFocused();
  await page.keyboard.type('lang');
  await page.keyboard.press('Tab');
  await expect(inspector(page).getByRole('textbox', { name: 'Value of lang' })).toBeFocused();
  await page.keyboard.type('ja');
  await expect(onCanvas(page, /^Connection from triage to billing.*lang=ja/)).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(onCanvas(page, /^Connection from triage to billing/)).toBeFocused();
});

test('the line of problems is a button with their text as its name', async ({ page, world }) => {
  await openDesigner(page, world.url, 'triage');
  await expect(page.getByRole('region', { name: 'Problems' }).getByRole('button')).toBeVisible();
  // The tree of the browser, whose names differ from those that Playwright computes.
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const buttons = nodes.filter(({ ignored, role }) => !ignored && role?.value === 'button').map(({ name }) => String(name?.value));
  expect(buttons).toContain('No problems');
  expect(buttons).not.toContain('');
  await session.detach();
});

for (const [path, name] of [
  ['agents', 'Name contains'],
  ['tasks', 'Search runs'],
  ['tasks/question-1', 'Find in the trace'],
  ['tasks/question-1?tab=logs', 'Find in the log'],
  ['inbox', 'Find in the queue'],
  ['inbox?view=history', 'Find in the history'],
] as const)
  test(`the slash leads to the search field of ${path}`, async ({ page, world }) => {
    await page.goto(`${world.url}/n/operations/${path}`);
    const field = page.getByLabel(name);
    await expect(field).toBeVisible({ timeout: FIRST_LOOK_MS });
    await page.keyboard.press('/');
    await expect(field).toBeFocused();
    await expect(field).toHaveValue('');
  });

test('the name of a system is whole in the list of Sessions', async ({ page, world }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${world.url}/n/operations/sessions`);
  const name = page.getByRole('row').getByText('service-desk', { exact: true });
  await expect(name).toBeVisible();
  const cut = await name.evaluate((each) => {
    let cell: Element | null = each;
    while (cell && cell.getAttribute('role') !== 'row') {
      if (cell.scrollWidth > cell.clientWidth && getComputedStyle(cell).overflowX !== 'visible') return true;
      cell = cell.parentElement;
    }
    return false;
  });
  expect(cut).toBe(false);
});

test('the focus stays in the bar of the selection after all matches are selected', async ({ page, emptyWorld }) => {
  const roles = Array.from({ length: 230 }, (_, at) =>
    JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'AgentRole', metadata: { name: `role-${at}` }, spec: { permissions: [] } }),
  );
  await emptyWorld.apply(roles.join('\n---\n'));
  await page.goto(`${emptyWorld.url}/n/default/agent-roles`);
  await expect(page.getByRole('row').nth(3)).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).press('Space');
  const bar = page.getByRole('toolbar', { name: 'Selected objects' });
  await bar.getByRole('button', { name: 'Select all 230' }).press('Enter');
  await expect(bar.getByRole('status')).toHaveText('230 agent roles selected');
  await expect(bar).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(bar.getByRole('button', { name: 'Clear the selection' })).toBeFocused();
});
