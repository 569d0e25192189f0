// Settings, events and capabilities: what is set is kept, the first token turns signing in on, what happened is there.
import { expect, test } from './fixtures.ts';

test('what is set shows at once and is there after a reload', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/settings`);
  await page.getByRole('radio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.waitForResponse((response) => response.url().includes('preferences.set'));
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
});

test('events are there, unfold, and can be narrowed', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/events`);
  await page.getByRole('list', { name: 'Events' }).getByRole('button').first().click();
  await expect(page.getByText(/^event \d+$/)).toBeVisible();
  await page.goto(`${world.url}/n/operations/events?kind=Nothing`);
  await expect(page.getByText('No event fits these filters')).toBeVisible();
});

test('capabilities say how to switch on what is off', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/capabilities`);
  await expect(page.getByText('Start the server with --enable-kubernetes-isolation.')).toBeVisible();
});

test('the first token is explained, shown once, and signs this page in', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/n/default/settings?tab=tokens`);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('root');
  await page.getByRole('button', { name: /turn signing in on/ }).click();
  await expect(page.getByText('Confirm this first.')).toBeVisible();
  await page.getByRole('checkbox', { name: /I understand/ }).click();
  await page.getByRole('button', { name: /turn signing in on/ }).click();
  await expect(page.getByRole('textbox', { name: 'The token' })).toHaveValue(/^svc_/);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Delete the token root' })).toBeVisible();
});
