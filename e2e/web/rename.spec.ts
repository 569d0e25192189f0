// A new name for an agent: from its system and from its page, with everything that refers to it, and back.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const SHOWN = { timeout: 30_000 };

test.use({ baseURL: async ({ world }, use) => use(world.url) });

async function rename(page: Page, to: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(/^Changes with it: /)).toBeVisible(SHOWN);
  await dialog.getByRole('textbox', { name: 'Name' }).fill(to);
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect(dialog).toBeHidden(SHOWN);
}

test('an agent gets a new name in its system and everywhere else, and its old one back', async ({ page, world }) => {
  const agentsOf = async (name: string) =>
    ((await world.call('GET', `/v1/agent-systems/${name}?namespace=operations`)) as { spec: { agents: string[] } }).spec.agents;
  await page.goto('/n/operations/agent-systems/service-desk?item=billing');
  const node = (name: string) => page.locator(`.react-flow__node[data-id="${name}"]`);
  await expect(node('billing')).toBeVisible(SHOWN);
  // Keys act once the role of the person is known.
  await expect(page.getByRole('button', { name: 'Rename…' })).toBeEnabled(SHOWN);
  await node('billing').focus();
  await page.keyboard.press('F2');
  await rename(page, 'invoices');
  await expect(node('invoices')).toBeFocused(SHOWN);
  await expect(page).toHaveURL(/item=invoices/);
  expect(await agentsOf('service-desk')).toEqual(['triage', 'invoices', 'incident', 'answers']);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(node('billing')).toBeVisible(SHOWN);
  expect(await agentsOf('service-desk')).toEqual(['triage', 'billing', 'incident', 'answers']);
});

test('the page of an agent follows its new name, and a taken name is refused at the field', async ({ page, signals }) => {
  signals.allow(/409|conflict/i);
  await page.goto('/n/operations/agents/incident?tab=relations');
  await expect(page.getByRole('heading', { level: 1, name: 'incident' })).toBeVisible(SHOWN);
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeEnabled(SHOWN);
  await page.keyboard.press('F2');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(/^Changes with it: /)).toBeVisible(SHOWN);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('editor');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect(dialog.getByText('There is already an agent editor in namespace operations')).toBeVisible(SHOWN);
  await rename(page, 'outages');
  await expect(page.getByRole('heading', { level: 1, name: 'outages' })).toBeVisible(SHOWN);
  await expect(page).toHaveURL(/agents\/outages\?tab=relations/);
});
