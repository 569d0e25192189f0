// The policy simulator: one call in full, and the matrix that leads to it.
import { expect, test } from './fixtures.ts';

test('a cell of the matrix leads to the whole answer and the rule behind it', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/simulator`);
  const cell = page.getByRole('button', { name: 'billing, invoice-delete: Ask' });
  await cell.click();
  await expect(page).toHaveURL(/agent=billing&tool=invoice-delete/);
  const answer = page.getByRole('region', { name: 'The answer' });
  await expect(answer.getByRole('heading', { name: 'A person would be asked' })).toBeVisible();
  await expect(answer.getByRole('link', { name: /ToolPermission invoice-delete/ }).first()).toBeVisible();
  await page
    .getByRole('button', { name: /, ledger-search: Not listed/ })
    .first()
    .click();
  await expect(answer.getByRole('heading', { name: 'The call would be denied' })).toBeVisible();
  await page.goBack();
  await expect(answer.getByRole('heading', { name: 'A person would be asked' })).toBeVisible();
});

test('the matrix is walked by keys and leaves as CSV', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/simulator`);
  const cells = page.getByRole('grid', { name: 'Verdicts by agent and tool' }).getByRole('button');
  await expect(page.getByRole('button', { name: 'Ask again' })).toBeVisible();
  await cells.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/agent=/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  expect((await download).suggestedFilename()).toBe('access-operations.csv');
});
