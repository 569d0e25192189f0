// The view of the canvas after additions, and its zoom.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;
const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });
const zoomOf = (page: Page) =>
  page.locator('.react-flow__viewport').evaluate((viewport) => new DOMMatrix(getComputedStyle(viewport).transform).a);

test('added agents are shown together, and the view is zoomed by buttons', async ({ page, emptyWorld: world }) => {
  await page.goto(`${world.url}/n/default/new/agent-systems`);
  await page.getByRole('textbox', { name: 'Name' }).fill('fitting', { timeout: FIRST_LOOK_MS });
  for (const name of ['one', 'two', 'three']) {
    await page.getByRole('button', { name: 'Add agent' }).click();
    await page.getByRole('combobox', { name: 'Agent' }).fill(name);
    await page.keyboard.press('Enter');
    await expect(agent(page, name)).toBeVisible();
  }
  for (const name of ['one', 'two', 'three']) await expect(agent(page, name)).toBeInViewport({ ratio: 1 });
  const flow = await page.locator('.react-flow').boundingBox();
  for (const name of ['one', 'two', 'three']) {
    const box = await agent(page, name).boundingBox();
    expect(box && flow && box.x >= flow.x && box.x + box.width <= flow.x + flow.width).toBe(true);
  }
  const before = await zoomOf(page);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect.poll(() => zoomOf(page)).toBeLessThan(before);
});
