// Careful decisions: many calls at once, high and critical risk, by keys alone, beside another person, and when the time or the server runs
// out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { World } from '../world/world.ts';
import { expect, test } from './fixtures.ts';
import { visit } from './one-page.ts';

const queue = (page: Page) => page.getByRole('list', { name: 'Waiting approvals' });
const decision = (page: Page) => page.getByRole('region', { name: 'Decision', exact: true });
const row = (page: Page, text: string) => queue(page).getByRole('link').filter({ hasText: text });
const inbox = (world: World) => `${world.url}/n/mailroom/inbox`;

const RUNS: Readonly<Record<string, string>> = {
  'news-1': 'the newsletter',
  'news-2': 'the newsletter',
  'news-3': 'the newsletter',
  party: 'the invitation',
  attic: 'clean up',
};

/** An approval that no run waits for. */
const byHand = (world: World, name: string, spec: object) =>
  world.call('POST', '/v1/tool-approvals?namespace=mailroom', {
    kind: 'ToolApproval',
    metadata: { name, namespace: 'mailroom' },
    spec: { task_ref: 'news-1', tool: 'mail-send', agent: 'clerk', operation_class: 'write', reason: 'By hand.', ...spec },
  });

let seeded: World | undefined;

test.describe.configure({ mode: 'serial', timeout: 120_000 });

test.beforeEach(async ({ emptyWorld: world }) => {
  if (seeded === world) return;
  seeded = world;
  await world.apply(readFileSync(join(import.meta.dirname, '..', 'world', 'mailroom.yaml'), 'utf8'), 'mailroom');
  for (const [name, request] of Object.entries(RUNS)) await world.run('mailroom/mailroom', name, { request });
  for (const name of Object.keys(RUNS)) await world.untilPhase(`mailroom/${name}`, ['WaitingApproval']);
});

test('keys move along the rows and open them; arrows scroll the text in focus', async ({ page, emptyWorld: world }) => {
  await page.goto(inbox(world));
  const rows = queue(page).getByRole('link');
  await expect(rows).toHaveCount(5);
  await page.keyboard.press('j');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(rows.nth(0)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(decision(page).getByRole('heading', { level: 2 }).first()).toBeFocused();
  const address = page.url();
  await decision(page).getByRole('group', { name: 'Command line' }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(decision(page).getByRole('group', { name: 'Command line' })).toBeFocused();
  expect(page.url()).toBe(address);
});

test('a batch shows the inputs that it would approve, and is approved by keys', async ({ page, emptyWorld: world }) => {
  await page.goto(inbox(world));
  for (const name of ['news-1', 'news-2', 'party'])
    await queue(page)
      .getByRole('checkbox', { name: `Select mail-send of ${name}` })
      .check();
  await page.keyboard.press('Shift+A');
  const dialog = page.getByRole('dialog', { name: 'Approve 3 calls of mail-send?' });
  const inputs = dialog.getByRole('region', { name: 'Inputs' });
  await expect(inputs.getByRole('listitem')).toHaveCount(2);
  await expect(inputs).toContainText('2 times: clerk in news-1, clerk in news-2');
  await expect(inputs).toContainText('News of the week');
  await expect(inputs).toContainText('2 hidden characters');
  await expect(inputs.locator('mark')).toHaveText(['RLO', 'ZWSP']);
  await dialog.getByRole('button', { name: 'Back' }).click();
  await queue(page).getByRole('checkbox', { name: 'Select mail-send of party' }).uncheck();
  await page.keyboard.press('Shift+A');
  await page.getByRole('button', { name: 'Approve 2 calls' }).click();
  await expect(page.getByRole('dialog', { name: 'Done' }).getByText('done', { exact: true })).toHaveCount(2);
  for (const name of ['news-1', 'news-2']) await world.untilPhase(`mailroom/${name}`, ['Succeeded']);
});

test('an input too long for a batch is decided by itself', async ({ page, emptyWorld: world }) => {
  await byHand(world, 'endless', { input: JSON.stringify({ to: 'all', body: 'x'.repeat(1_000_000) }) });
  await page.goto(`${inbox(world)}?item=ToolApproval%2Fmailroom%2Fendless`);
  await decision(page).getByRole('radio', { name: 'Bytes' }).click();
  await expect(decision(page).getByText(/of UTF-8, part 1 of/)).toBeVisible();
  await queue(page).getByRole('checkbox', { name: 'Select mail-send of news-1' }).check();
  await queue(page).getByRole('checkbox', { name: 'Select mail-send of news-3' }).check();
  await page.keyboard.press('Shift+A');
  const approve = page.getByRole('button', { name: 'Approve 2 calls' });
  await expect(approve).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByRole('dialog')).toContainText('an input that is too long');
});

test('a critical call requires its name to be typed', async ({ page, emptyWorld: world }) => {
  await page.goto(inbox(world));
  await row(page, 'archive-drop').click();
  await expect(decision(page).getByText('critical risk')).toBeVisible();
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  await page.keyboard.press('a');
  const confirm = decision(page).getByRole('button', { name: 'Confirm: approve' });
  await expect(confirm).toBeDisabled();
  await page.keyboard.type('archive');
  await expect(confirm).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeFocused();
});

test('Ctrl-Enter in a comment or a search field decides nothing', async ({ page, emptyWorld: world }) => {
  await page.goto(inbox(world));
  await row(page, 'news-3').click();
  await expect(decision(page).getByText('low risk')).toBeVisible();
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  const undecided = decision(page).getByRole('group', { name: 'Choose Approve or Deny' });
  await page.keyboard.press('c');
  await page.keyboard.type('No: ask finance first.');
  await page.keyboard.press('Control+Enter');
  await expect(undecided).toBeFocused();
  await expect(undecided.getByText('Choose Approve or Deny.')).toBeVisible();
  await page.keyboard.press('d');
  await expect(decision(page).getByRole('button', { name: 'Deny now' })).toBeFocused();
  await page.keyboard.press('Escape');
  await decision(page).getByLabel('Comment').fill('');
  await page.getByRole('searchbox', { name: 'Find in the queue' }).fill('news');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Tab');
  await expect(undecided).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find in the queue' }).fill('');
});

test('a held decision is withdrawn by U, and by the loss of the server', async ({ page, context, emptyWorld: world, signals }) => {
  signals.allow(/ERR_INTERNET_DISCONNECTED|WebSocket/);
  await page.goto(inbox(world));
  await row(page, 'news-3').click();
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  const held = decision(page).getByText('Not sent yet.');
  await page.keyboard.press('a');
  await expect(held).toBeVisible();
  await page.keyboard.press('u');
  await expect(held).toHaveCount(0);
  await page.keyboard.press('a');
  await expect(held).toBeVisible();
  await context.setOffline(true);
  await expect(held).toHaveCount(0);
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.locator('main[data-stale]')).toBeVisible();
  await context.setOffline(false);
  await expect(page.locator('main[data-stale]')).toHaveCount(0, { timeout: 30_000 });
  await expect(row(page, 'news-3')).toBeVisible();
});

test('a second decision on the same approval is refused and names the person who decided first', async ({
  page,
  otherBrowser: other,
  emptyWorld: world,
}) => {
  for (const each of [page, other]) {
    await each.goto(inbox(world));
    await row(each, 'party').click();
    await expect(decision(each).getByRole('button', { name: 'Deny' })).toBeEnabled();
  }
  await other.keyboard.press('d');
  await other.keyboard.press('Control+Enter');
  await expect(decision(page).getByText(new RegExp(`${world.person}.*denied this`))).toBeVisible();
  await expect(row(page, 'party')).toHaveCount(0);
  await expect(decision(page).getByRole('button', { name: 'Deny' })).toHaveCount(0);
});

test('an unsent draft of an approval is restored after another approval was open', async ({ page, emptyWorld: world }) => {
  await page.goto(inbox(world));
  await row(page, 'news-3').click();
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  await decision(page).getByLabel('Comment').fill('Asked the editors.');
  await decision(page).getByRole('button', { name: 'Edit' }).click();
  await decision(page).getByLabel(/^to/).fill('subscribers@example.org');
  await row(page, 'archive-drop').click();
  await expect(decision(page).getByLabel('Comment')).toHaveValue('');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.goBack();
  await row(page, 'news-3').click();
  await expect(decision(page).getByLabel('Comment')).toHaveValue('Asked the editors.');
  await expect(decision(page).getByRole('button', { name: 'Approve with edits' })).toBeEnabled();
  await expect(decision(page).getByRole('group', { name: 'Command line' })).toContainText('subscribers@example.org');
});

test('the way back leads to the approval that was open before', async ({ page, emptyWorld: world }) => {
  await page.goto(inbox(world));
  await row(page, 'news-3').click();
  await expect(page).toHaveURL(/item=/);
  const first = page.url();
  await row(page, 'archive-drop').click();
  await expect(page).not.toHaveURL(first);
  await page.goBack();
  await expect(page).toHaveURL(first);
});

test('an approval that expires during its confirmation is reported as expired', async ({ page, emptyWorld: world }) => {
  // The page has started before the time begins.
  await page.goto(inbox(world));
  await expect(queue(page).getByRole('link').first()).toBeVisible();
  await byHand(world, 'brief', { tool: 'archive-drop', operation_class: 'delete', input: '{"archive":"2020"}', ttl: '8s' });
  await visit(page, world.url, '/n/mailroom/inbox?item=ToolApproval%2Fmailroom%2Fbrief');
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  await page.keyboard.press('a');
  await expect(decision(page).getByLabel(/to approve/)).toBeFocused();
  await expect(decision(page).getByText('Nobody decided in time.')).toBeVisible({ timeout: 20_000 });
  await expect(decision(page).getByRole('button', { name: 'Confirm: approve' })).toHaveCount(0);
  // The focused element was removed.
  await expect(decision(page).getByRole('heading', { level: 2 }).first()).toBeFocused();
});

test('a low screen leaves room to read and to reach the buttons', async ({ page, emptyWorld: world }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto(inbox(world));
  await row(page, 'archive-drop').click();
  const line = decision(page).getByRole('group', { name: 'Command line' });
  await line.scrollIntoViewIfNeeded();
  await expect(line).toBeInViewport();
  await decision(page).getByRole('button', { name: 'Deny' }).scrollIntoViewIfNeeded();
  await expect(decision(page).getByRole('button', { name: 'Deny' })).toBeInViewport();
});
