// Settings, events and capabilities: settings persist, the first token enables sign-in, events are listed.
import { readFile } from 'node:fs/promises';
import { expectNoBarriers } from './barriers.ts';
import { browserOnly, expect, test } from './fixtures.ts';
import { forgetSettings } from './settings-of-person.ts';

test.afterEach(({ world }) => forgetSettings(world));

test('a setting shows at once and persists over a reload, however soon', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/settings`);
  await page.getByRole('radio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
});

for (const times of ['UTC', 'Local'])
  test(`absolute times are readable in tables and lists: ${times}`, async ({ page, world }) => {
    await page.goto(`${world.url}/n/operations/settings`);
    await page.getByRole('radio', { name: times }).click();
    const pages = [
      'tasks',
      'events',
      'agent-systems',
      'sessions',
      'tasks/report-q3?tab=messages',
      'tasks/report-q3?tab=events',
      'tasks/report-q3?tab=explain',
    ];
    for (const path of pages) {
      await page.goto(`${world.url}/n/operations/${path}`);
      await expect(page.locator('main time').first()).toHaveText(/\d{4}.*\d\d:\d\d:\d\d/);
      // The element that gives the time its room: it may neither cut it nor let it out.
      const cut = () =>
        page.locator('main time').evaluateAll((all) =>
          all.flatMap((time) => {
            let box = time.parentElement;
            while (box && getComputedStyle(box).display === 'inline') box = box.parentElement;
            return box && time.getBoundingClientRect().right > box.getBoundingClientRect().right + 1 ? [time.textContent] : [];
          }),
        );
      await expect.poll(cut, path).toEqual([]);
    }
  });

test('events are listed, unfold, and can be filtered', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/events`);
  await page.getByRole('list', { name: 'Events' }).getByRole('button').first().click();
  await expect(page.getByText(/^event \d+$/)).toBeVisible();
  await page.goto(`${world.url}/n/operations/events?kind=Nothing`);
  await expect(page.getByText('No event fits these filters')).toBeVisible();
});

test('j enters the events from the first press, and Space unfolds the focused event', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/events`);
  const rows = page.getByRole('list', { name: 'Events' }).getByRole('button');
  await expect(rows.first()).toBeVisible();
  await page.keyboard.press('j');
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press('Space');
  await expect(rows.first()).toHaveAttribute('aria-expanded', 'true');
});

test('heartbeats of workers are hidden from the events until requested', async ({ page, emptyWorld }) => {
  const heartbeats = async () =>
    ((await emptyWorld.call('GET', '/v1/events?kind=Worker&type=resource.updated&limit=1')) as { items: unknown[] }).items.length;
  await expect.poll(heartbeats, { timeout: 20_000 }).toBe(1);
  await page.goto(`${emptyWorld.url}/n/-/events`);
  const events = page.getByRole('list', { name: 'Events' });
  await expect(events.getByText(/Worker .* was created/)).toBeVisible();
  await expect(events.getByText(/Worker .* was updated/)).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Heartbeats of workers' }).click();
  await expect(events.getByText(/Worker .* was updated/).first()).toBeVisible();
});

test('capabilities explain how to enable the missing ones', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/capabilities`);
  await expect(page.getByText('Start the server with --enable-kubernetes-isolation.')).toBeVisible();
});

test.describe(() => {
  browserOnly('The window is always signed in.');

  test('the first token is explained, shown once, and signs this page in', async ({ page, emptyWorld }) => {
    await page.goto(`${emptyWorld.url}/n/default/settings?tab=tokens`);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('root');
    await page.getByRole('button', { name: /turn sign-in on/ }).click();
    await expect(page.getByText('Confirm this first.')).toBeVisible();
    await page.getByRole('checkbox', { name: /I understand/ }).click();
    await page.getByRole('button', { name: /turn sign-in on/ }).click();
    await expect(page.getByRole('textbox', { name: 'The token' })).toHaveValue(/^svc_/);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Delete the token root' })).toBeVisible();
  });
});

test.describe(() => {
  browserOnly('The app has one window.');

  test('a setting made in one tab applies in the others', async ({ page, context, world }) => {
    await page.goto(`${world.url}/n/operations/settings`);
    const other = await context.newPage();
    await other.goto(`${world.url}/n/operations/dashboard`);
    await expect(other.getByRole('heading', { level: 1 })).toBeVisible();
    await page.getByRole('radio', { name: 'Compact' }).click();
    await expect(other.locator('html')).toHaveAttribute('data-density', 'compact');
  });
});

test('everything that was declared is downloaded as one file, without values of Secrets', async ({ page, world, saves }) => {
  await page.goto(`${world.url}/n/default/settings?tab=about`);
  await expectNoBarriers(page, { picture: 'about' });
  const file = await saves(() => page.getByRole('button', { name: 'Export everything' }).click());
  expect(file.name).toMatch(/^export-\d{4}-\d\d-\d\d\.yaml$/);
  const text = await readFile(file.path, 'utf8');
  expect(text).toContain('kind: AgentSystem');
  expect(text).not.toContain('kind: Secret\n');
});
