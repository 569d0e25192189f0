// Page of a Memory: tree of its keys, search, values, writes of people, and a backend that does not work.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const memory = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'Memory', metadata: { name }, spec });

const ENTRIES: Readonly<Record<string, string>> = {
  'customers/ana': '{"name":"Ana","plan":"team","open_orders":[{"id":7,"total":120.5},{"id":9,"total":8}],"vip":true}',
  'customers/bo': '{"name":"Bo","plan":"free"}',
  'handbook/returns/chunk-0000': 'A return is free within 30 days. The customer keeps the label of the parcel.',
  'handbook/returns/chunk-0001': 'Refunds are made to the card of the order, within five working days.',
  'handbook/shipping/chunk-0000': 'Parcels leave the warehouse on the day of the order when it is placed before noon.',
  greeting: 'Hello, how can I help?',
};

const tree = (page: Page) => page.getByRole('tree', { name: 'Keys' });
const entry = (page: Page, key: string) => page.getByRole('article', { name: `Entry ${key}` });

test('entries are browsed, searched, written, changed and deleted', async ({ page, emptyWorld: world }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await world.apply(memory('notes', { provider: 'embedded' }));
  for (const [key, value] of Object.entries(ENTRIES))
    await world.call('PUT', `/v1/memories/notes/entries/${encodeURIComponent(key)}`, { value });
  await page.goto(`${world.url}/n/default/memories`);
  await page.getByRole('link', { name: 'notes' }).click();
  await expect(page.getByRole('tab', { name: 'Entries' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('Entries are in the data directory of the server.')).toBeVisible();

  await expect(tree(page).getByRole('treeitem')).toHaveCount(9);
  await tree(page).getByRole('treeitem', { name: /^ana/ }).click();
  await expect(entry(page, 'customers/ana').getByRole('tree', { name: 'Value as JSON' })).toContainText('open_orders');
  await expectNoBarriers(page, { picture: 'page', widths: [1000, 1440] });
  await page.getByRole('radio', { name: 'Text' }).click();
  await expect(page.getByRole('region', { name: 'Value' })).toContainText('"plan":"team"');

  await page.getByRole('searchbox', { name: 'Search entries' }).fill('refunds');
  await page.keyboard.press('Enter');
  await expect(page.getByText('by keyword search, best first')).toBeVisible();
  const results = page.getByRole('list', { name: 'Results' }).getByRole('button');
  await results.first().click();
  await expect(entry(page, 'handbook/returns/chunk-0001')).toContainText('five working days');
  await expectNoBarriers(page, { picture: 'search', widths: [1000, 1440] });
  await page.getByRole('searchbox').fill('xylophone');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No entry matches')).toBeVisible();
  await page.getByRole('button', { name: 'Show all keys' }).click();

  await page.getByRole('button', { name: 'New entry' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Key' }).fill('customers/cy');
  await dialog.getByRole('textbox', { name: 'Value' }).fill('{"name":"Cy"}');
  await expectNoBarriers(page, { picture: 'new', include: '[role=dialog]' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(entry(page, 'customers/cy')).toContainText('Cy');
  await expect(tree(page).getByRole('treeitem', { name: /^cy/ })).toHaveAttribute('aria-selected', 'true');

  await page.getByRole('button', { name: 'Add text' }).click();
  await dialog
    .getByLabel('Text file')
    .setInputFiles({ name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('High water. '.repeat(120)) });
  await expect(dialog.getByRole('textbox', { name: 'Source' })).toHaveValue('tides.txt');
  await expectNoBarriers(page, { picture: 'text', include: '[role=dialog]' });
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(entry(page, 'tides.txt/chunk-0000')).toContainText('High water.');
  await expect(tree(page).getByRole('treeitem', { name: 'chunk-0001' })).toHaveCount(2);
  await tree(page).getByRole('treeitem', { name: /^cy/ }).click();

  await page.getByRole('button', { name: 'Edit entry' }).click();
  await world.call('PUT', '/v1/memories/notes/entries/customers%2Fcy', { value: 'written by an agent' });
  await dialog.getByRole('textbox', { name: 'Value' }).fill('mine');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('written by an agent');
  await expectNoBarriers(page, { picture: 'conflict', include: '[role=dialog]' });
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await expect(page.getByRole('region', { name: 'Value' })).toHaveText('mine');

  await page.getByRole('button', { name: 'Delete entry' }).click();
  await expectNoBarriers(page, { picture: 'delete', include: '[role=dialog]' });
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No entry selected')).toBeVisible();
  await expect(tree(page).getByRole('treeitem', { name: /^cy/ })).toHaveCount(0);
});

test('a backend that does not work reports why and what to do', async ({ page, emptyWorld: world, signals }) => {
  signals.allow(/503/);
  await page.setViewportSize({ width: 1440, height: 900 });
  await world.apply(memory('remote', { provider: 'http', endpoint: 'http://127.0.0.1:9/memory' }));
  await page.goto(`${world.url}/n/default/memories/remote`);
  await expect(page.getByText('The backend does not work, and agents that use this memory get errors.')).toBeVisible();
  await expect(page.getByText(/Check that the adapter of spec.endpoint answers/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'The entries could not be read' })).toBeVisible();
  await expectNoBarriers(page, { picture: 'failing', widths: [1000, 1440] });
});

test('an empty memory shows who writes it', async ({ page, emptyWorld: world }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await world.apply(memory('fresh', { provider: 'in-memory' }));
  await page.goto(`${world.url}/n/default/memories/fresh`);
  await expect(page.getByText('No entries')).toBeVisible();
  await expectNoBarriers(page, { picture: 'empty' });
});
