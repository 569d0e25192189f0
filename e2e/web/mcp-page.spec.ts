// Page of an MCP server: its connection, its tools with their cost, a trial through governance, and what a failing server shows.
import type { Page } from '@playwright/test';
import { program } from '../../server/testing/mcp/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const mcpServer = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'McpServer', metadata: { name }, spec });

const tools = (page: Page) => page.getByRole('list', { name: 'Tools of the server' }).getByRole('listitem');

test('an MCP server shows its connection, and tools are left out or imported', async ({ page, emptyWorld: world }) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  const spec = { ...program('stdio-2026'), tool_filter: { include: ['add', 'environment'] } };
  await world.apply(mcpServer('notes', spec));
  await page.goto(`${world.url}/n/default/mcp-servers`);
  await expect(page.getByRole('navigation', { name: 'Tools' }).getByRole('link', { name: 'MCP servers' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await page.getByRole('link', { name: 'notes' }).click();
  await expect(page.getByRole('list', { name: 'Connection, newest first' })).toContainText(
    'protocol 2026-07-28, 3 tools listed, 2 generated',
  );
  await expect(tools(page)).toHaveCount(3);
  await expect(tools(page).filter({ hasText: 'delete_all' })).toContainText('Filtered out');
  await expect(page.getByText(/^2 of 3 are Tools/)).toContainText(/about \d+ tokens/);

  const details = page.getByRole('button', { name: 'Details of add' });
  await details.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tree', { name: 'Input schema of add' })).toContainText('properties');
  await expectNoBarriers(page, { picture: 'page', widths: [1000, 1440] });
  await page.keyboard.press('Enter');

  await page.getByRole('button', { name: 'Details of environment' }).click();
  await page.getByRole('button', { name: 'Leave out' }).click();
  await expectNoBarriers(page, { picture: 'leave-out', include: '[role=dialog]' });
  await page.getByRole('dialog').getByRole('button', { name: 'Leave out' }).click();
  await expect(tools(page).filter({ hasText: 'environment' })).toContainText('Filtered out');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText(/^2 of 3 are Tools/)).toBeVisible();
});

test('a trial of a tool runs through governance', async ({ page, emptyWorld: world }) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  await world.apply(mcpServer('notes', program('stdio-2026')));
  await page.goto(`${world.url}/n/default/mcp-servers/notes`);
  await page.getByRole('button', { name: 'Try add' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Run' })).toBeVisible();
  await dialog.getByRole('textbox', { name: 'a', exact: true }).fill('2');
  await dialog.getByRole('textbox', { name: 'b', exact: true }).fill('40');
  await expectNoBarriers(page, { picture: 'try', include: '[role=dialog]' });
  await dialog.getByRole('button', { name: 'Run' }).click();
  const trials = page.getByRole('list', { name: 'Trials, newest first' }).getByRole('listitem');
  await expect(trials).toHaveCount(1);
  await expect(trials).toContainText('Succeeded');
  await expect(page.getByRole('complementary').filter({ hasText: 'try-' })).toContainText('sum: 42');
  await expectNoBarriers(page, { picture: 'tried' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Remove trial try-/ }).click();
  await expect(trials).toHaveCount(0);
  for (const plural of ['tasks', 'agent-systems', 'agents', 'model-endpoints']) {
    expect(await world.call('GET', `/v1/${plural}?namespace=default`)).toEqual([]);
  }
});

test('a server that cannot be reached shows its attempts and the reason', async ({ page, emptyWorld: world }) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  await world.apply(
    mcpServer('gone', { transport: 'stdio', command: 'no-such-program', reconnect: { max_attempts: 2, backoff: '100ms' } }),
  );
  await page.goto(`${world.url}/n/default/mcp-servers/gone`);
  const timeline = page.getByRole('list', { name: 'Connection, newest first' });
  await expect(timeline.getByText('(attempt 2 of 2)')).toBeVisible();
  await expect(timeline).toContainText('no-such-program');
  await expect(page.getByText('The list has not been read yet.')).toBeVisible();
  await expectNoBarriers(page, { picture: 'failing' });
});
