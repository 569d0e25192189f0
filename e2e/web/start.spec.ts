// The first thing anybody sees: the page comes from the server, whole and without faults.
import { expect, test } from './fixtures.ts';

test('the console opens', async ({ page, world }) => {
  await page.goto(world.url);
  await expect(page).toHaveTitle(/Agent Orchestration/);
});
