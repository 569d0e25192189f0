// The first screen: what needs a person, what runs, how it went; and what an empty server shows instead.
import { expect, test } from './fixtures.ts';

test('the dashboard shows what waits, what runs and how runs went', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  const decisions = page.getByRole('region', { name: 'Decisions' });
  await expect(decisions.getByRole('listitem')).toHaveCount(4);
  await expect(page.getByRole('region', { name: 'Failed in 24 hours' }).getByRole('link', { name: /doomed/ })).toBeVisible();
  await page.getByRole('button', { name: 'Why long-haul is where it is' }).click();
  await expect(page.getByRole('region', { name: 'Running now' }).getByRole('paragraph').last()).toContainText(/./);
  await expect(page.getByRole('img', { name: /Runs that ended, per hour/ })).toBeVisible();
  await page.getByRole('radio', { name: 'Table' }).click();
  await expect(page).toHaveURL(/view=table/);
  await expect(page.getByRole('row', { name: /All 24 hours/ })).toBeVisible();
  await page.getByRole('radio', { name: 'Last 7 days' }).click();
  await expect(page.getByRole('row', { name: /All 168 hours/ })).toBeVisible();
  await decisions.getByRole('link', { name: /Review report/ }).click();
  await expect(page).toHaveURL(/\/inbox\?item=TaskApproval/);
});

test('an empty server leads to a first run', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/n/default/dashboard`);
  const first = page.getByRole('region', { name: 'First steps' });
  await expect(first.getByRole('list', { name: 'Steps to a first run' }).getByRole('listitem')).toHaveCount(4);
  await first.getByRole('link', { name: 'Take the tour' }).click();
  await expect(page).toHaveURL(/\/welcome$/);
});

test('workers show their slots and what they hold', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/workers`);
  await page.getByRole('grid', { name: 'Workers' }).getByRole('row').nth(1).click();
  await expect(page).toHaveURL(/worker=default/);
  await expect(page.getByRole('complementary').getByRole('link', { name: 'operations/long-haul' })).toBeVisible();
  await page.keyboard.press('Escape');
});
