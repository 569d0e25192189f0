// The resource explorer: lists, objects, creating, importing, secrets, deleting.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const at = (url: string, path: string) => `${url}/n/operations/${path}`;

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include('#main').analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

test('a list is narrowed, and the address keeps how', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents'));
  const list = page.getByRole('grid', { name: 'Agents' });
  await expect(list.getByRole('row', { name: /billing/ })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: /^\d+ agents$/ })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Name begins with' }).fill('bil');
  await expect(page).toHaveURL(/q=bil/);
  await expect(list.getByRole('row', { name: /answers/ })).toHaveCount(0);
  await page.reload();
  await expect(list.getByRole('row', { name: /billing/ })).toBeVisible();
  await expect(list.getByRole('row', { name: /answers/ })).toHaveCount(0);
  await page.getByRole('textbox', { name: 'Name begins with' }).fill('no-such-agent');
  await expect(page.getByRole('heading', { name: 'No agents fit these filters' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(list.getByRole('row', { name: /answers/ })).toBeVisible();
});

test('rows are walked, selected and opened by keyboard', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents'));
  const list = page.getByRole('grid', { name: 'Agents' });
  await list.getByRole('row', { name: /answers/ }).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(page.getByRole('toolbar', { name: 'Selected objects' })).toContainText('3 agents selected');
  await page.keyboard.press('m');
  await expect(page.getByRole('menuitem', { name: 'Duplicate…' })).toBeVisible();
  await page.keyboard.press('Escape');
  await list.getByRole('row', { name: /collector/ }).focus();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'billing' })).toBeVisible();
});

test('the page of an object says what it is, what it needs and what happened', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents/billing'));
  await expect(page.getByRole('heading', { level: 1, name: 'billing' })).toBeVisible();
  await expect(page.getByRole('tabpanel').getByRole('link', { name: 'invoice-delete' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Relations' }).click();
  await expect(page).toHaveURL(/tab=relations/);
  await expect(page.getByRole('region', { name: 'Agent systems' }).getByRole('link', { name: 'service-desk' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Events' }).click();
  await expect(page.getByRole('list', { name: 'Events' })).toContainText('was created');
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Relations' })).toHaveAttribute('aria-selected', 'true');
});

test('labels change on several objects, each with its result', async ({ page, world }) => {
  await page.goto(at(world.url, 'tools'));
  await page.getByRole('checkbox', { name: 'Select ledger-search' }).click();
  await page.getByRole('checkbox', { name: 'Select service-restart' }).click();
  await page.getByRole('button', { name: 'Edit labels' }).click();
  await page.getByRole('textbox', { name: 'Add a label' }).fill('reviewed=yes');
  await page.getByRole('button', { name: 'Change labels' }).click();
  await expect(page.getByRole('dialog')).toContainText('2 of 2 done');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.goto(at(world.url, 'tools?labels=reviewed%3Dyes'));
  await expect(page.getByRole('status').filter({ hasText: '2 tools' })).toBeVisible();
});

test('an object is created from a template, a taken name is explained, and it goes with its consequence named', async ({
  page,
  world,
  signals,
}) => {
  signals.allow(/409/);
  await page.goto(at(world.url, 'new/memories'));
  await page.getByRole('button', { name: /^Minimal/ }).click();
  await expect(page.getByRole('textbox', { name: 'YAML of the new memory' })).toContainText('my-memory');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'my-memory' })).toBeVisible();
  await page.goto(at(world.url, 'new/memories?template=minimal'));
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByText(/There is a memory operations\/my-memory already/)).toBeVisible();
  await page.getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog')).toContainText('Nothing refers to it');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL(/\/n\/operations\/memories$/);
});

test('who needs an object is said before it is deleted', async ({ page, world }) => {
  await page.goto(at(world.url, 'model-endpoints/desk-model'));
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog')).toContainText(/\d+ agents still refer to it/);
  await page.getByRole('button', { name: 'Keep' }).click();
});

test('an object that is deleted elsewhere stays to be read and can be made again', async ({ page, world, signals }) => {
  signals.allow(/404/);
  await world.apply(
    'kind: Memory\nmetadata: { name: fleeting, namespace: operations }\nspec: { type: vector, provider: in-memory }\n',
    'operations',
  );
  await page.goto(at(world.url, 'memories/fleeting'));
  await expect(page.getByRole('heading', { level: 1, name: 'fleeting' })).toBeVisible();
  await world.call('DELETE', '/v1/memories/fleeting?namespace=operations');
  await expect(page.getByText('fleeting was deleted. This is what was last known of it.')).toBeVisible();
  await page.getByRole('button', { name: 'Make it again' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'fleeting' })).toBeVisible();
  await page.goto(at(world.url, 'memories/never-was'));
  await expect(page.getByRole('heading', { name: 'There is no memory never-was' })).toBeVisible();
});

test('the value of a Secret is set and never shown', async ({ page, world }) => {
  await page.goto(at(world.url, 'secrets/erp-token'));
  await page.getByRole('button', { name: 'Set a value' }).click();
  await page.getByRole('textbox', { name: 'Key' }).fill('api-key');
  await page.getByLabel('Value', { exact: false }).last().fill('hunter2-never-shown');
  await page.getByRole('dialog').getByRole('button', { name: 'Set the value' }).click();
  await expect(page.getByRole('button', { name: 'Remove api-key' })).toBeVisible();
  expect(await page.content()).not.toContain('hunter2-never-shown');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove api-key' }).click();
  await page.getByRole('button', { name: 'Remove the key' }).click();
  await expect(page.getByRole('button', { name: 'Remove api-key' })).toHaveCount(0);
});

const DOCUMENTS = `kind: Memory
metadata: { name: imported-notes }
spec: { type: vector, provider: in-memory }
---
kind: Secret
metadata: { name: imported-secret }
spec: { stringData: { value: do-not-show-me } }
---
kind: Agent
metadata: { name: imported-agent }
spec:
  model_ref: desk-model
  promt: a typing mistake
`;

test('documents are tried first, then go in one transaction', async ({ page, world, signals }) => {
  signals.allow(/400/);
  await page.goto(at(world.url, 'import'));
  await page
    .getByLabel('Files to import')
    .setInputFiles({ name: 'team.yaml', mimeType: 'application/yaml', buffer: Buffer.from(DOCUMENTS) });
  await expect(page.getByText(/Line 13:.*promt/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Apply 3 documents' })).toHaveAttribute('aria-disabled', 'true');
  expect(await page.content()).not.toContain('do-not-show-me');
  await expectAccessible(page);
  await page.getByRole('checkbox', { name: 'Include Agent imported-agent' }).click();
  await page.getByRole('button', { name: 'Apply 2 documents' }).click();
  await expect(page.getByText('All 2 documents were applied, in one transaction.')).toBeVisible();
  await page.getByRole('link', { name: 'imported-notes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'imported-notes' })).toBeVisible();
});

test('an empty list offers a way to begin', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/n/default/agents`);
  await expect(page.getByRole('heading', { name: 'No agents yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Open' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Import' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Apply \d+ documents$/ })).not.toHaveAttribute('aria-disabled', 'true');
});
