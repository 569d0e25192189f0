// Runs found by the words of their input, output or error, by keyboard and from the palette.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const field = (page: Page) => page.getByRole('combobox', { name: 'Search runs' });
const table = (page: Page) => page.getByRole('grid', { name: 'Runs' });
const rowOf = (page: Page, name: string) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const found = (page: Page) => table(page).locator('mark[data-found]');

test('words of an output find its run by keyboard, and the address keeps them', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks`);
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await page.keyboard.press('/');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('working DAYS ope');
  await expect(rowOf(page, 'question-1')).toContainText('Output');
  await expect(rowOf(page, 'doomed')).toHaveCount(0);
  await expect(found(page).first()).toHaveText('open');
  await expect(page).toHaveURL(/q=working/);
  await expectNoBarriers(page, { picture: 'found', widths: [1000, 1440] });
  await page.reload();
  await expect(rowOf(page, 'question-1')).toBeVisible();
  await field(page).focus();
  await page.keyboard.press('Escape');
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await expect(page).not.toHaveURL(/q=/);
});

test('words of an error are found beside a filter, and absent words explain themselves', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks?q=overloaded&phase=DeadLetter`);
  await expect(rowOf(page, 'doomed')).toContainText('Error');
  await field(page).fill('no-run-says-this');
  await expect(page.getByRole('heading', { name: 'No run has these words' })).toBeVisible();
  await expectNoBarriers(page, { picture: 'none' });
  await field(page).fill('"*"');
  await expect(page.getByRole('heading', { name: 'Nothing to search for' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await expect(rowOf(page, 'question-1')).toBeVisible();
});

test('the palette searches the texts of runs', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks`);
  await expect(rowOf(page, 'question-1')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('overloaded');
  await page.getByRole('option', { name: /Search runs for “overloaded”/ }).click();
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await expect(field(page)).toHaveValue('overloaded');
});

test('a verb before a name runs a system from the palette', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks`);
  await expect(rowOf(page, 'question-1')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('run service');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: /^Run/ })).toBeVisible();
  await expect(page).toHaveURL(/agent-systems\/service-desk$/);
});

test('a text that imitates controls and hides characters stays text where it is found', async ({ page, emptyWorld }) => {
  await emptyWorld.apply(
    [
      { kind: 'ModelEndpoint', metadata: { name: 'm' }, spec: { provider: 'mock' } },
      { kind: 'Agent', metadata: { name: 'a' }, spec: { model_ref: 'm' } },
      { kind: 'AgentSystem', metadata: { name: 's' }, spec: { agents: ['a'] } },
    ]
      .map((document) => JSON.stringify(document))
      .join('\n---\n'),
  );
  await emptyWorld.run('default/s', 'sly', { request: '<img src=x onerror="document.title=1"> pay\u202e zebra \u05d0\u05d1 <b>now</b>' });
  await page.goto(`${emptyWorld.url}/n/default/tasks?q=zebra`);
  await expect(rowOf(page, 'sly')).toContainText('<img src=x');
  await expect(found(page)).toHaveText(['zebra']);
  await expect(table(page).locator('mark[data-hidden]')).toHaveText(['RLO']);
  await expect(table(page).locator('img')).toHaveCount(0);
});

test('a run appears in an open search as soon as its text has the words', async ({ page, emptyWorld }) => {
  await emptyWorld.apply('{"kind":"AgentSystem","metadata":{"name":"s"},"spec":{"agents":[]}}');
  await page.goto(`${emptyWorld.url}/n/default/tasks?q=walrus`);
  await expect(page.getByRole('heading', { name: 'No run has these words' })).toBeVisible();
  const task = (name: string, topic: string) =>
    JSON.stringify({ kind: 'Task', metadata: { name }, spec: { system: 's', mode: 'template', input: { topic } } });
  await page.getByRole('radio', { name: 'Both' }).click();
  await emptyWorld.apply([task('one', 'the walrus'), task('two', 'the carpenter')].join('\n---\n'));
  await expect(rowOf(page, 'one')).toBeVisible();
  await expect(rowOf(page, 'two')).toHaveCount(0);
});
