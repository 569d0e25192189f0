// The first screen: open work, current runs, results; and the replacement on an empty server.
import { expect, test } from './fixtures.ts';

test('the dashboard shows waiting work, current runs and results', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/dashboard`);
  const decisions = page.getByRole('region', { name: 'Approvals' });
  await expect(decisions.getByRole('listitem')).toHaveCount(4);
  await expect(page.getByRole('region', { name: 'Failed in 24 hours' }).getByRole('link', { name: /doomed/ })).toBeVisible();
  await page.getByRole('button', { name: 'Status of long-haul' }).click();
  await expect(page.getByRole('region', { name: 'Running now' }).getByRole('paragraph').last()).toContainText(/./);
  await expect(page.getByRole('img', { name: /Completed runs per hour/ })).toBeVisible();
  await page.getByRole('radio', { name: 'Table' }).click();
  await expect(page).toHaveURL(/view=table/);
  await expect(page.getByRole('row', { name: /All 24 hours/ })).toBeVisible();
  await page.getByRole('radio', { name: 'Last 7 days' }).click();
  await expect(page.getByRole('row', { name: /All 168 hours/ })).toBeVisible();
  await decisions.getByRole('link', { name: /Review report/ }).click();
  await expect(page).toHaveURL(/\/inbox\?item=TaskApproval/);
});

test('the hours below a narrow chart do not touch each other', async ({ page, world }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${world.url}/n/operations/dashboard`);
  const hours = page.getByRole('region', { name: 'Success rate' }).getByText(/^\d\d:00$/);
  await expect(hours.first()).toBeVisible();
  // The chart is drawn again once its width is measured.
  await expect(async () => {
    const boxes = await hours.evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0));
    expect(boxes.length).toBeGreaterThan(1);
    for (const [index, { left }] of boxes.slice(1).entries()) expect(left).toBeGreaterThan((boxes[index]?.right ?? 0) + 4);
  }).toPass({ timeout: 10_000 });
});

test('an empty server shows the steps to a first run', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/n/default/dashboard`);
  const first = page.getByRole('region', { name: 'First steps' });
  await expect(first.getByRole('list', { name: 'Steps to a first run' }).getByRole('listitem')).toHaveCount(4);
  await first.getByRole('link', { name: 'Take the tour' }).click();
  await expect(page).toHaveURL(/\/welcome$/);
});

test('a worker is suspended with a reason, and resumed', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/n/default/workers`);
  const row = page.getByRole('grid', { name: 'Workers' }).getByRole('row').nth(1);
  await row.click();
  const inspector = page.getByRole('complementary');
  await inspector.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('new disk');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await expect(row).toContainText('Suspended');
  await expect(inspector.getByText('Draining').first()).toBeVisible();
  await expect(inspector.getByText('new disk')).toBeVisible();
  await expect(page.getByText('Resume a suspended worker, or start another one.')).toBeVisible();
  await inspector.getByRole('link', { name: 'Open page' }).click();
  await expect(page.getByText('Suspended: new disk')).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByText('Suspended: new disk')).toHaveCount(0);
  await expect(page.getByText('Ready', { exact: true }).first()).toBeVisible();
});

test('workers show their slots and the runs they hold', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/workers`);
  await page.getByRole('grid', { name: 'Workers' }).getByRole('row').nth(1).click();
  await expect(page).toHaveURL(/peek=Worker/);
  await expect(page.getByRole('complementary').getByRole('link', { name: 'operations/long-haul' })).toBeVisible();
  await page.keyboard.press('Escape');
});

test('runs that no worker can take are listed on the dashboard, and grouped by the missing capability on the workers page', async ({
  page,
  world,
}) => {
  const needy = (name: string) =>
    `{apiVersion: svc.dev/v1, kind: Task, metadata: {name: ${name}, namespace: operations}, spec: {system: patient, input: {topic: x}, requirements: {gpu: true}}}`;
  await page.goto(`${world.url}/n/operations/dashboard`);
  await world.apply(`${needy('train-1')}\n---\n${needy('train-2')}`, 'operations');
  await expect(page.getByText('No worker can take 2 of the waiting runs.')).toBeVisible({ timeout: 20_000 });
  await page.getByRole('link', { name: 'See what is missing' }).click();
  await expect(page.getByText(/^2 runs wait: no worker with gpu=true/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'train-1' })).toBeVisible();
});
