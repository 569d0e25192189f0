// The page of a schedule: words for its cron line, next due times, a run at once, and the outcome of runs.
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const documents = [
  ['ModelEndpoint', 'tides', { provider: 'mock', options: { script: JSON.stringify([{ text: 'High at noon.', repeat: true }]) } }],
  ['Agent', 'reporter', { model_ref: 'tides', prompt: 'Report.' }],
  ['AgentSystem', 'report', { agents: ['reporter'] }],
  ['Task', 'tide-report', { system: 'report', mode: 'template' }],
  ['TaskSchedule', 'morning', { task_ref: 'tide-report', schedule: '30 9 * * 1-5', time_zone: 'Europe/Berlin' }],
]
  .map(([kind, name, spec]) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec }))
  .join('\n---\n');

test('a schedule reports when it runs next, and runs at once', async ({ page, emptyWorld: world }) => {
  await world.apply(documents);
  await page.goto(`${world.url}/n/default/task-schedules/morning`);
  await expect(page.getByRole('heading', { name: 'Every weekday at 09:30, Berlin time' })).toBeVisible();
  const times = page.getByRole('list', { name: 'Next due times' }).getByRole('listitem');
  await expect(times).toHaveCount(10);
  await expect(times.first()).toContainText('09:30');
  await expect(page.getByText('No runs yet')).toBeVisible();
  await page.getByRole('button', { name: 'Run now' }).click();
  const runs = page.getByRole('list', { name: 'Runs of the schedule' }).getByRole('listitem');
  await expect(runs).toHaveCount(1);
  await expect(runs.first()).toContainText('Succeeded');
  await expect(runs.first()).toContainText('started by hand');
  await expectNoBarriers(page, { picture: 'schedule', widths: [1440, 1000] });
});

test('the palette suspends with a reason, and offers the end of it once', async ({ page, emptyWorld: world }) => {
  await world.apply(documents);
  await page.goto(`${world.url}/n/default/tasks`);
  const palette = async (text: string) => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill(text);
  };
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await palette('suspend');
  await page.getByRole('option', { name: 'Suspend morning…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Suspend morning?' });
  await dialog.getByLabel('Reason').fill('Tide tables are checked');
  await expectNoBarriers(page, { picture: 'suspend', include: '[role=dialog]', widths: [1440, 390, 1440] });
  await dialog.getByRole('button', { name: 'Suspend', exact: true }).click();
  await expect(page.getByText('Tide tables are checked').first()).toBeVisible();
  await palette('resume');
  await expect(page.getByRole('option', { name: 'Search runs for' })).toBeVisible();
  await expect(page.getByRole('option', { name: /^Resume/ })).toHaveCount(1);
  await page.getByRole('option', { name: /^Resume/ }).click();
  await expect(page.getByText('Tide tables are checked')).toHaveCount(0);
});

test('a schedule gets its missing template, which is edited as a form', async ({ page, emptyWorld: world }) => {
  await world.apply(documents);
  await world.call('DELETE', '/v1/tasks/tide-report');
  await page.goto(`${world.url}/n/default/task-schedules/morning`);
  await page.getByRole('button', { name: 'Create the template' }).click();
  const dialog = page.getByRole('dialog', { name: 'New template' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('tide-report');
  await expectNoBarriers(page, { picture: 'template', include: '[role=dialog]' });
  await dialog.getByRole('combobox', { name: /^System/ }).fill('report');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText(/The template .* does not exist/)).toBeHidden();
  await page.goto(`${world.url}/n/default/tasks/tide-report`);
  await page.getByRole('tab', { name: 'Form' }).click();
  await expect(page.getByRole('combobox', { name: /^System/ })).toHaveValue('report');
});

test('the times of a schedule are changed with the builder, which keeps an expression that it cannot show', async ({
  page,
  emptyWorld: world,
}) => {
  await world.apply(documents);
  await page.goto(`${world.url}/n/default/task-schedules/morning`);
  const dialog = page.getByRole('dialog', { name: 'Change when morning runs' });
  const open = () => page.getByRole('button', { name: 'Change the times' }).click();
  await open();
  await expect(dialog.getByLabel('Repeats')).toHaveValue('weekly');
  await expect(dialog.getByRole('checkbox', { name: 'Monday' })).toBeChecked();
  await expect(dialog.getByRole('checkbox', { name: 'Sunday' })).not.toBeChecked();
  await dialog.getByRole('checkbox', { name: 'Sunday' }).check();
  await expect(dialog.getByRole('status')).toHaveText(
    'Every Monday, Tuesday, Wednesday, Thursday, Friday and Sunday at 09:30, Berlin time',
  );
  const dueTimes = dialog.getByRole('table', { name: 'Next due times' });
  await expect(dueTimes.getByRole('row')).toHaveCount(11);
  await dialog.getByLabel('Time zone').fill('new york');
  await page.getByRole('option', { name: 'America/New York' }).click();
  await expect(dueTimes).toContainText('09:30 GMT-');
  await dialog.getByLabel('Repeats').selectOption('On a day of the month');
  await dialog.getByLabel('Day of the month').fill('32');
  await expect(dialog.getByText('must be a whole number from 1 to 31')).toBeVisible();
  await dialog.getByLabel('Day of the month').fill('31');
  await expect(dialog.getByText('Months without a day 31 are left out.')).toBeVisible();
  await expectNoBarriers(page, { picture: 'builder', widths: [1440, 1000] });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'On day 31 of the month at 09:30, New York time' })).toBeVisible();
  await open();
  await dialog.getByLabel('Repeats').selectOption('Own expression');
  await dialog.getByLabel('Cron expression').fill('0 0 31 2 *');
  await expect(dialog.getByText('never fires')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await dialog.getByLabel('Cron expression').fill('1-20/3 9 * * *');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Cron 1-20/3 9 * * *, New York time' })).toBeVisible();
  await open();
  await expect(dialog.getByLabel('Repeats')).toHaveValue('own');
  await expect(dialog.getByLabel('Cron expression')).toHaveValue('1-20/3 9 * * *');
});

test('the form of a new schedule writes its cron line with the builder', async ({ page, emptyWorld: world }) => {
  await world.apply(documents);
  await page.goto(`${world.url}/n/default/task-schedules/morning?tab=form`);
  await expect(page.getByLabel('schedule', { exact: false }).first()).toBeVisible();
  await page.getByRole('combobox', { name: 'schedule' }).selectOption('Every few minutes');
  await page.getByLabel('Minutes between runs').fill('7');
  await expect(page.getByText('Starts over at each full hour.')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'Every 7 minutes, Berlin time' })).toBeVisible();
  await expectNoBarriers(page, { picture: 'form', widths: [1440, 1000] });
});

test('the calendar of a schedule counts the due times of each day, and arrow keys move between days', async ({
  page,
  emptyWorld: world,
}) => {
  await world.apply(documents);
  const often = { apiVersion: 'svc.dev/v1', kind: 'TaskSchedule', metadata: { name: 'often' } };
  await world.apply(
    JSON.stringify({ ...often, spec: { task_ref: 'tide-report', schedule: '*/5 * * * *', time_zone: 'Europe/Berlin', suspend: true } }),
  );
  await page.goto(`${world.url}/n/default/task-schedules/often`);
  const grid = page.getByRole('grid', { name: /^Due times in/ });
  const today = grid.locator('[aria-current="date"]');
  await expect(today).toContainText(/2(76|88) ×|300 ×/);
  await today.focus();
  const name = await grid.getByRole('gridcell', { selected: true }).getAttribute('aria-label');
  await page.keyboard.press('ArrowRight');
  await expect(grid.getByRole('gridcell', { selected: true })).not.toHaveAttribute('aria-label', name ?? '');
  await expect(grid.getByRole('gridcell', { selected: true })).toBeFocused();
  // Each March has the Sunday on which clocks of Berlin jump.
  for (let months = 0; months < 12 && !(await page.getByRole('heading', { name: /^March/ }).isVisible()); months += 1) {
    const before = await grid.getAttribute('aria-label');
    await page.keyboard.press('PageDown');
    await expect(grid).not.toHaveAttribute('aria-label', before ?? '');
    await expect(grid.getByRole('gridcell', { selected: true })).toBeFocused();
  }
  const jump = grid.getByRole('gridcell', { name: /Clocks change: the day has 23 hours/ });
  await expect(jump).toContainText('276 ×');
  await expect(jump).toContainText('23 h');
  await jump.click();
  await expectNoBarriers(page, { picture: 'calendar', widths: [1440, 1000] });
});

test('the history of a schedule marks each slot, and the calendar of all schedules lists a day', async ({ page, emptyWorld: world }) => {
  await world.apply(documents);
  const schedule = (name: string, spec: object) =>
    JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'TaskSchedule', metadata: { name }, spec: { task_ref: 'tide-report', ...spec } });
  const more = Array.from({ length: 12 }, (_each, n) => schedule(`report-${n}`, { schedule: `${n * 5} 6 * * *`, suspend: n === 0 }));
  await world.apply(
    [...more, schedule('often', { schedule: '*/5 * * * *' }), schedule('yearly', { schedule: '0 5 1 1 *' })].join('\n---\n'),
  );
  await page.goto(`${world.url}/n/default/task-schedules/yearly`);
  await expect(page.getByText('No slot was due yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Run now' }).click();
  const slots = page.getByRole('listbox', { name: 'Slots, oldest first' });
  await expect(slots.getByRole('option', { name: /by hand.*: Succeeded/ })).toBeVisible();
  await expect(page.getByText(/started by/).first()).toBeVisible();
  await expectNoBarriers(page, { picture: 'history', widths: [1440, 1000] });
  await page.goto(`${world.url}/n/default/task-schedules`);
  await page.getByRole('radio', { name: 'Calendar' }).click();
  await expect(page).toHaveURL(/view=calendar/);
  const grid = page.getByRole('grid', { name: /^Due times in/ });
  await expect(grid.locator('[aria-current="date"]')).toContainText('more');
  await grid.locator('[aria-current="date"]').click();
  const due = page.getByRole('list', { name: /^Schedules due on/ });
  await expect(due.getByRole('listitem').filter({ hasText: 'report-0' })).toContainText('suspended');
  await expect(due.getByRole('listitem').filter({ hasText: 'often' })).toContainText('288 times');
  await expectNoBarriers(page, { picture: 'all-schedules', widths: [1440, 1000] });
});

test('a backfill lists the due times of a past range, and starts each run once', async ({ page, emptyWorld: world }) => {
  await world.apply(documents);
  const suspended = { task_ref: 'tide-report', schedule: '30 9 * * *', time_zone: 'Europe/Berlin', suspend: true };
  await world.apply(JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'TaskSchedule', metadata: { name: 'behind' }, spec: suspended }));
  await page.goto(`${world.url}/n/default/task-schedules/behind`);
  const dialog = page.getByRole('dialog', { name: 'Backfill behind' });
  const open = () => page.getByRole('button', { name: 'Backfill…' }).click();
  const from = dialog.getByLabel('From, Europe/Berlin');
  const to = dialog.getByLabel('To, Europe/Berlin');
  const slots = dialog.getByRole('list', { name: 'Due times of the range' }).getByRole('listitem');
  await open();
  await expect(slots).toHaveCount(7);
  await from.fill('2999-01-01T00:00');
  await expect(dialog.getByText('must not be before the beginning')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Start' })).toBeDisabled();
  await from.fill('2025-01-01T00:00');
  await to.fill('2999-01-01T00:00');
  await expect(dialog.getByText('must not be in the future')).toBeVisible();
  await to.fill('2025-10-26T12:00');
  await expect(dialog.getByText('must be at most Thu, 10 Apr 2025, 09:30 GMT+2: a backfill has at most 100 due times')).toBeVisible();
  await from.fill('2025-10-25T00:00');
  await expect(slots).toContainText([/Sat, 25 Oct 2025, 09:30 GMT\+2to start/, /Sun, 26 Oct 2025, 09:30 GMT\+1to start/]);
  await expect(dialog.getByRole('status')).toHaveText('2 due times, 2 without a run.');
  await expectNoBarriers(page, { picture: 'backfill', include: '[role=dialog]', widths: [1440, 390, 1440] });
  await dialog.getByRole('button', { name: 'Start 2 runs' }).click();
  await expect(dialog.getByRole('status')).toHaveText('2 runs are started.');
  await expect(slots.nth(1)).toContainText('startedbehind-20251026-0830');
  await expectNoBarriers(page, { picture: 'backfilled', include: '[role=dialog]', widths: [1440, 390, 1440] });
  await dialog.getByRole('button', { name: 'Done' }).click();
  const runs = page.getByRole('list', { name: 'Runs of the schedule' }).getByRole('listitem');
  await expect(runs.filter({ hasText: 'Succeeded' }).filter({ hasText: 'backfilled' })).toHaveCount(2);
  await expect(page.getByRole('option', { name: /Backfilled, 2 slots/ })).toBeVisible();
  await open();
  await from.fill('2025-10-25T00:00');
  await to.fill('2025-10-26T12:00');
  await expect(dialog.getByRole('status')).toHaveText('2 due times, no run is missing.');
  await slots.first().getByRole('link', { name: 'behind-20251025-0730' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'behind-20251025-0730' })).toBeVisible();
});
