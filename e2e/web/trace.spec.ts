// The waterfall of a run: keyboard, span details, filters, replay, and export.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { traceFixture } from '../../renderer/testing/trace-fixture.ts';
import { writeTraceFile } from '../../renderer/features/trace/file/trace-file.ts';
import { expect, test } from './fixtures.ts';

const pathOf = (name: string, query = '') => `/n/operations/tasks/${name}?tab=graph${query}`;

test('a run unfolds into agents, model calls and tool calls, and keys walk through it', async ({ page, world }) => {
  await page.goto(`${world.url}${pathOf('invoice-cleanup')}`);
  const grid = page.getByRole('treegrid', { name: 'Trace' });
  await expect(grid.getByRole('row', { name: /Agent: *billing.*Waiting/ })).toBeVisible();
  const call = grid.getByRole('row', { name: /Tool call: *ledger-search/ });
  await call.click();
  const details = page.getByRole('complementary', { name: /ledger-search/ });
  await expect(details.getByRole('tree', { name: 'Request' })).toContainText('open invoices');
  await expect(page).toHaveURL(/span=tool-/);
  await page.keyboard.press('ArrowDown');
  const model = page.getByRole('complementary', { name: /mock-desk/ });
  await expect(model).toContainText('Model input');
  await expect(model.getByRole('region', { name: 'Context' })).toContainText(/System prompt.*tokens/);
  await expect(model.getByRole('region', { name: 'Prompt and tools' })).toContainText(/no longer offered: *ledger-search/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/span=/);
  await page.reload();
  await grid.getByRole('row', { name: /Run: *invoice-cleanup/ }).click();
  await page.keyboard.press('ArrowLeft');
  await expect(grid.getByRole('row', { name: /billing/ })).toHaveCount(0);
});

test('keys and buttons zoom the waterfall around a row', async ({ page, world }) => {
  await page.goto(`${world.url}${pathOf('question-1')}`);
  const grid = page.getByRole('treegrid', { name: 'Trace' });
  await grid.getByRole('row').nth(2).focus();
  await page.keyboard.press('+');
  await expect(grid.getByRole('columnheader', { name: 'Time, zoomed in' })).toBeVisible();
  await page.keyboard.press('-');
  await expect(grid.getByRole('columnheader', { name: 'Time', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Zoom in on the row' }).click();
  await page.getByRole('button', { name: 'See all' }).click();
  await expect(grid.getByRole('columnheader', { name: 'Time', exact: true })).toBeVisible();
});

test('a link opens its span, and filters are kept in the address', async ({ page, world }) => {
  await page.goto(`${world.url}${pathOf('doomed', '&span=model-3&failed=true')}`);
  const details = page.getByRole('complementary', { name: /Model/ });
  await expect(details.getByRole('region', { name: 'Error' })).toContainText('overloaded');
  await page.getByRole('searchbox', { name: 'Find in the trace' }).fill('nowhere to be found');
  await expect(page.getByText('No matching spans')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(page).not.toHaveURL(/failed=/);
});

test('the rows of a failed run stay visible below its failure, on a lower screen too', async ({ page, world }) => {
  // The height of the graph on a larger screen.
  await page.addInitScript(() => localStorage.setItem('svc.size.run-graph', '880'));
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(`${world.url}${pathOf('doomed')}`);
  await expect(page.getByRole('region', { name: /Model call of flaky failed/ })).toBeVisible();
  const rows = page.getByRole('treegrid').getByRole('row');
  await page.getByRole('button', { name: 'To the end' }).scrollIntoViewIfNeeded();
  for (const index of [1, 2, 3]) await expect(rows.nth(index)).toBeInViewport({ ratio: 0.9 });
});

test('a replay returns to the beginning and steps forward', async ({ page, world }) => {
  await page.goto(`${world.url}${pathOf('question-1')}`);
  const place = page.getByRole('slider', { name: 'Place in the trace' });
  await expect(place).toHaveAttribute('aria-valuetext', /^Event 15 of 15/);
  await page.getByRole('button', { name: 'To the start' }).click();
  await expect(place).toHaveAttribute('aria-valuetext', /^Event 0 of 15/);
  await place.focus();
  await page.keyboard.press('ArrowRight');
  await expect(place).not.toHaveAttribute('aria-valuetext', /^Event 0 of 15/);
  await page.keyboard.press('End');
  await expect(place).toHaveAttribute('aria-valuetext', /^Event 15 of 15/);
});

test('an exported trace is read again from its file, marked as imported', async ({ page, world, saves }) => {
  await page.goto(`${world.url}${pathOf('question-1')}`);
  const { path: file } = await saves(() => page.getByRole('button', { name: 'Export the trace as JSON' }).click());
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    format: 'svc-trace',
    version: 1,
    complete: true,
    task: { name: 'question-1' },
  });
  await page.goto(`${world.url}/n/operations/tasks`);
  await page.getByLabel('Trace file').setInputFiles(file);
  await expect(page.getByText('Imported, read-only')).toBeVisible();
  await expect(page.getByRole('treegrid', { name: 'Trace' }).getByRole('row', { name: /triage/ })).toBeVisible();
  await page.getByRole('button', { name: 'Close the import' }).click();
  await page
    .getByLabel('Trace file')
    .setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{"format":"x"}') });
  await expect(page.getByRole('alert')).toContainText('its format is "x"');
});

test('40,000 entries render only few rows', async ({ page, world }) => {
  const entries = traceFixture({ entries: 40_000 });
  const task = { namespace: 'operations', name: 'long' };
  const text = writeTraceFile({ exported_at: '2026-01-05T10:00:00.000Z', task, complete: true, entries });
  await page.goto(`${world.url}/n/operations/tasks`);
  await page.getByLabel('Trace file').setInputFiles({ name: 'long.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  const grid = page.getByRole('treegrid', { name: 'Trace' });
  await expect(grid.getByRole('row', { name: /agent-01/ }).first()).toBeVisible();
  expect(Number(await grid.getAttribute('aria-rowcount'))).toBeGreaterThan(10_000);
  expect(await grid.getByRole('row').count()).toBeLessThan(200);
});

/** Answers calls of a procedure, with this text in their input, as if the server refused them. */
async function refuse(page: Page, procedure: string, text = ''): Promise<void> {
  const refused = { error: { code: -32_000, message: '', data: { error: { code: 'forbidden', message: 'A rule forbids this.' } } } };
  await page.route(/\/trpc\//, async (route) => {
    const url = new URL(route.request().url());
    const paths = url.pathname.split('/trpc/')[1]?.split(',') ?? [];
    const inputs = JSON.parse(url.searchParams.get('input') ?? '{}') as Readonly<Record<number, unknown>>;
    const hits = paths.map((path, index) => path === procedure && JSON.stringify(inputs[index] ?? '').includes(text));
    if (!hits.includes(true)) return route.fallback();
    const answers = (await (await route.fetch()).json()) as unknown[];
    return route.fulfill({ json: answers.map((answer, index) => (hits[index] ? refused : answer)) });
  });
}

test('the graph shows no states while the trace cannot be loaded', async ({ page, world }) => {
  await refuse(page, 'runs.trace');
  await page.goto(`${world.url}/n/operations/tasks/question-1?graph=shown`);
  await expect(page.getByText('The trace could not be loaded')).toBeVisible();
  await expect(page.getByText('triage', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('Not started')).toHaveCount(0);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Retry', exact: true }).last().click();
  await expect(page.getByRole('treegrid', { name: 'Trace' })).toBeVisible();
});

test('a system that may not be read is not reported as deleted', async ({ page, world }) => {
  await refuse(page, 'resources.get', '"AgentSystem"');
  await page.goto(`${world.url}/n/operations/tasks/question-1?graph=shown`);
  await expect(page.getByText('The system service-desk could not be read')).toBeVisible();
  await page.goto(`${world.url}/n/operations/compare?left=operations/question-1&right=operations/question-2`);
  await page.getByRole('button', { name: 'Show both graphs' }).click();
  await expect(page.getByText('The system service-desk could not be read')).toHaveCount(2);
});
