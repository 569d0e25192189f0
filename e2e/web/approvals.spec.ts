// Deciding approvals: the plan is read, decisions are confirmed and answered, records are verified in the browser.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const queue = (page: Page) => page.getByRole('list', { name: 'Waiting approvals' });
const decision = (page: Page) => page.getByRole('region', { name: 'Decision', exact: true });
const row = (page: Page, text: string) => queue(page).getByRole('link').filter({ hasText: text });

test.describe.configure({ mode: 'serial', timeout: 120_000 });

test('the queue is sorted by expiry, and the most urgent item is open', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/inbox`);
  await expect(queue(page).getByRole('link')).toHaveCount(4);
  await expect(queue(page).getByRole('link').first()).toContainText('invoice-delete');
  await expect(queue(page).getByRole('link').last()).toContainText('report');
  await expect(page).toHaveTitle(/^\(4\) Inbox/);
  await expect(decision(page).getByRole('heading', { level: 2 }).first()).toHaveText(
    /Agent billing wants to run invoice-delete \(delete\)/,
  );
  await expect(decision(page).getByRole('group', { name: 'Command line' })).toContainText('deleted [1044,1051,1062]: duplicates of 1043');
  await expect(decision(page).getByText('Hash matches')).toBeVisible();
  await expect(decision(page).getByRole('link', { name: 'ToolPermission invoice-delete' })).toBeVisible();
});

test('another rule can be tried on the same call from the rule that requested approval', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/inbox`);
  await decision(page).getByRole('link', { name: 'Try another rule' }).click();
  await expect(page).toHaveURL(/simulator\?agent=billing&tool=invoice-delete&operation=delete&task=invoice-cleanup$/);
  await expect(page.getByRole('heading', { name: 'The call would need approval' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'YAML of the change to try' })).toContainText('name: invoice-delete');
});

test('the approval pages have no accessibility violations', async ({ page, world }) => {
  for (const address of ['inbox', 'inbox?view=history']) {
    await page.goto(`${world.url}/n/operations/${address}`);
    await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectNoBarriers(page, { include: '#main' });
  }
});

test('a high-risk call takes two presses; then the next item opens and the run resumes', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/inbox`);
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
  await page.keyboard.press('e');
  const form = page.getByRole('group', { name: 'Input of invoice-delete' });
  await expect(form.getByRole('textbox').first()).toBeFocused();
  await form.getByLabel(/^reason/).fill('duplicates, checked twice');
  await expect(decision(page).getByText('1 field edited')).toBeVisible();
  await expect(decision(page).getByRole('group', { name: 'Command line' })).toContainText('checked twice');
  await page.keyboard.press('Escape');
  await decision(page).getByRole('button', { name: 'Approve with edits' }).click();
  await expect(decision(page).getByRole('button', { name: 'Confirm: approve with edits' })).toBeFocused();
  await expect(queue(page).getByRole('link')).toHaveCount(4);
  await page.keyboard.press('Enter');
  const done = page.getByRole('region', { name: 'Just decided' });
  await expect(done).toContainText('Approved invoice-delete');
  await expect(done).toContainText('Succeeded');
  await expect(queue(page).getByRole('link')).toHaveCount(3);
  await expect(page).toHaveTitle(/^\(3\) Inbox/);
  await expect(decision(page).getByRole('heading', { level: 2 }).first()).toBeFocused();
  await world.untilPhase('operations/invoice-cleanup', ['Succeeded']);
});

test('a decision taken elsewhere is reported with the name of its author', async ({ page, world, signals }) => {
  signals.allow(/409/);
  await page.goto(`${world.url}/n/operations/inbox?kind=ToolApproval`);
  await row(page, 'invoice-second').click();
  await expect(decision(page).getByRole('button', { name: 'Deny' })).toBeEnabled();
  await page.keyboard.press('d');
  await expect(decision(page).getByRole('button', { name: 'Confirm: deny' })).toBeFocused();
  const name = new URL(page.url()).searchParams.get('item')?.split('/').at(-1) ?? '';
  await page.route(/approvals\.decide/, async (route) => {
    await world.call('POST', `/v1/tool-approvals/${name}/approve?namespace=operations`, { decided_by: 'ben', comment: 'fine' });
    await route.continue();
  });
  await page.keyboard.press('Enter');
  await expect(decision(page).getByText(/ben.*approved this/)).toBeVisible();
  await expect(decision(page).getByRole('button', { name: 'Deny' })).toHaveCount(0);
});

test('a review is sent back with a comment, and the next version shows what changed', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/inbox`);
  await row(page, 'report').click();
  await expect(decision(page).getByRole('button', { name: 'Request changes' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('c');
  await decision(page).getByLabel('Comment').fill('Name the amount that is outstanding.');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.getByRole('region', { name: 'Just decided' })).toContainText('Sent back report');
  await expect(row(page, 'report')).toContainText('cycle 2 of 3');
  await row(page, 'report').click();
  await expect(decision(page).getByText('Name the amount that is outstanding.', { exact: true })).toBeVisible();
  await decision(page).getByRole('radio', { name: 'Changes since 1' }).click();
  await expect(decision(page).getByRole('region', { name: 'What changed' })).toContainText('310,000 euros outstanding');
});

test('the history shows each decision with its record, verified in the browser', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/inbox?view=history`);
  const list = page.getByRole('list', { name: 'Past approvals' });
  await expect(list.getByRole('link')).toHaveCount(3);
  await expect(list.getByText('verified')).toHaveCount(3);
  await list.getByRole('link').filter({ hasText: 'invoice-cleanup' }).click();
  await expect(decision(page).getByText('Hash and signature were checked in this browser')).toBeVisible();
  await expect(decision(page).getByRole('list', { name: 'Edited fields' })).toContainText('checked twice');
});

test('on a narrow screen the list leads to the decision and back', async ({ page, world }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto(`${world.url}/n/operations/inbox`);
  await row(page, 'service-restart').click();
  await expect(queue(page)).toHaveCount(0);
  await expect(decision(page).getByRole('button', { name: 'Deny' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await page.getByRole('button', { name: 'Queue' }).click();
  await expect(row(page, 'service-restart')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(decision(page).getByRole('heading', { level: 2 }).first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(row(page, 'service-restart')).toBeFocused();
});

test('an approval that arrives is announced', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  await expect(page.getByRole('region', { name: 'Approvals' }).getByRole('listitem').first()).toBeVisible();
  await world.run('operations/service-desk', 'arrives', { request: 'Our invoice list has duplicates, please clean up.' });
  await expect(page.locator('[role="status"][aria-atomic]').filter({ hasText: /\d+ approvals wait/ })).toHaveCount(1);
});

test('a call is answered in its place: the tool does not run, and the agent continues', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/inbox`);
  await row(page, 'service-restart').first().click();
  await expect(decision(page).getByRole('button', { name: 'Answer instead…' })).toBeVisible();
  await page.keyboard.press('r');
  await expect(decision(page).getByLabel('Your answer')).toBeFocused();
  await expect(decision(page).getByRole('button', { name: 'Send the answer' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.type('It was restarted an hour ago. Do not restart it again.');
  await expectNoBarriers(page, { picture: 'answer-instead', include: '#main', widths: [390, 1440] });
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.getByRole('region', { name: 'Just decided' })).toContainText('Answered service-restart');
  await page.goto(`${world.url}/n/operations/inbox?view=history`);
  await page.getByRole('list', { name: 'Past approvals' }).getByRole('link').filter({ hasText: 'service-restart' }).click();
  await expect(decision(page).getByText('answered in place of the call')).toBeVisible();
  await expect(decision(page).getByText('It was restarted an hour ago.')).toBeVisible();
});
