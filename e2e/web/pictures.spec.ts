// Pictures of the README, taken by `npm run screenshots`. What they show is tested in the other files.
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { settled } from '../axe.ts';
import { expect, test } from './fixtures.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'screenshots');

async function take(page: Page, name: string, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
  await settled(page);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}

test('the dashboard, the inbox and a run', async ({ page, world }) => {
  const at = (path: string) => page.goto(`${world.url}/n/operations/${path}`);
  await at('dashboard');
  await expect(page.getByRole('region', { name: 'Failed in 24 hours' })).toContainText('doomed');
  await expect(page.getByText('Success rate')).toBeVisible();
  await take(page, 'dashboard');
  await at('inbox');
  await expect(page.getByRole('button', { name: /^Approve/ }).first()).toBeVisible();
  await take(page, 'inbox');
  await at('tasks/report-q3');
  await expect(page.locator('.react-flow__node').filter({ hasText: 'editor' })).toBeVisible();
  await take(page, 'run', 'dark');
});

test('the designer with an agent beside the canvas', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/agent-systems/service-desk`);
  await page.locator('.react-flow__node').filter({ hasText: 'billing' }).click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('textbox', { name: 'Prompt' })).toBeVisible();
  await expect(inspector.getByText('Needs approval')).toBeVisible();
  await take(page, 'designer');
});

test('the editor with a name to choose', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/agents/billing?tab=yaml`);
  await page.locator('.cm-line').filter({ hasText: '- invoice-delete' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('- ');
  await page.keyboard.press('Control+Space');
  await expect(page.locator('.cm-tooltip-autocomplete')).toBeVisible();
  await expect(page.getByText(/^1 (error|problem)/).first()).toBeVisible();
  await take(page, 'editor');
});

test('the simulator with a change that is not stored', async ({ page, world }) => {
  const query = 'agent=billing&tool=invoice-delete&operation=delete&try=ToolPermission operations/invoice-delete';
  await page.goto(`${world.url}/n/operations/simulator?${query}`);
  await page.locator('.cm-line').filter({ hasText: 'verdict: approval_required' }).click();
  await page.keyboard.press('End');
  for (const _ of 'approval_required') await page.keyboard.press('Backspace');
  await page.keyboard.type('allow');
  await expect(page.getByText('The call would run').first()).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click();
  await expect(page.locator('.cm-tooltip')).toHaveCount(0);
  await take(page, 'simulator');
});
