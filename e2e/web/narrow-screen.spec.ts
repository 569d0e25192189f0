// Long names and labels on a screen of 320 px: nothing makes a page scroll sideways, and nothing is cut without a mark.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import type { World } from '../world/world.ts';

const NAME = 'customer_invoice_dispute_resolution_and_refund_service_europe_1'.replaceAll('_', 'x');
const LABELS = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`team-${index}`, `value-${index}-${'v'.repeat(50)}`]));

const documents = [
  { kind: 'ModelEndpoint', metadata: { name: 'narrow' }, spec: { provider: 'mock' } },
  { kind: 'Agent', metadata: { name: NAME, labels: LABELS }, spec: { model_ref: 'narrow' } },
  { kind: 'Agent', metadata: { name: 'narrow' }, spec: { model_ref: 'narrow' } },
  { kind: 'Tool', metadata: { name: 'narrow' }, spec: { type: 'cli', cli: { image: 'alpine:3', command: 'true' } } },
  {
    kind: 'AgentSystem',
    metadata: { name: NAME },
    spec: { agents: [NAME, 'narrow'], graph: { [NAME]: { edges: [{ to: 'narrow', labels: { route: 'r'.repeat(60) } }] } } },
  },
];

async function seedNarrow(world: World): Promise<void> {
  await world.apply(documents.map((document) => JSON.stringify(document)).join('\n---\n'), 'narrow');
  const tasks = (await world.call('GET', '/v1/tasks?namespace=narrow')) as readonly unknown[];
  if (tasks.length > 0) return;
  for (const name of ['one', 'two']) await world.run(`narrow/${NAME}`, name, { topic: 'x' });
  for (const name of ['one', 'two']) await world.untilPhase(`narrow/${name}`, ['Succeeded']);
  await world.call('POST', '/v1/sessions?namespace=narrow', { kind: 'Session', metadata: { name: 'talk' }, spec: { system: NAME } });
}

/** Texts that reach beyond the window, outside of areas that may scroll sideways: tables, tabs, the canvas. */
const cutTexts = (page: Page) =>
  page.getByRole('main').evaluate((main) => {
    const mayScroll = '[role="grid"], [role="treegrid"], [role="tablist"], [role="region"], .react-flow, .truncate, .sr-only';
    const leaves = [...main.querySelectorAll('*')].filter((each) =>
      [...each.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE),
    );
    const cut = leaves.filter((each) => !each.parentElement?.closest(mayScroll) && each.getBoundingClientRect().right > window.innerWidth);
    return cut.map((each) => each.textContent);
  });

/** Their addresses, and what each shows last. */
const SCREENS = [
  { screen: 'run', path: 'tasks/one', shown: 'Timeline' },
  { screen: 'Session', path: 'sessions/talk', shown: 'Start the conversation' },
  { screen: 'system overview', path: `agent-systems/${NAME}?tab=overview`, shown: 'if route is' },
  { screen: 'comparison', path: 'compare?left=narrow/one&right=narrow/two', shown: /Show \d+ equal/ },
];

for (const { screen, path, shown } of SCREENS) {
  test(`long names keep within a narrow screen: ${screen}`, async ({ page, world }) => {
    await seedNarrow(world);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${world.url}/n/narrow/${path}`);
    await expect(page.getByRole('main')).toContainText(shown);
    await expect.poll(() => cutTexts(page)).toEqual([]);
  });
}

test('an agent with many labels shows the first ones, each cut with a mark, and all on request', async ({ page, world }) => {
  await seedNarrow(world);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`${world.url}/n/narrow/agents/${NAME}`);
  const labels = page.getByRole('link', { name: /^team-/ });
  await expect(labels).toHaveCount(8);
  expect(await labels.first().evaluate((link) => [getComputedStyle(link).display, link.scrollWidth > link.clientWidth])).toEqual([
    'block',
    true,
  ]);
  await page.getByRole('button', { name: 'Show all 40 labels' }).click();
  await expect(labels).toHaveCount(40);
  await expect(labels.nth(8)).toBeFocused();
});

test('the access matrix shows a verdict beside a long name', async ({ page, world }) => {
  await seedNarrow(world);
  await page.setViewportSize({ width: 640, height: 640 });
  await page.goto(`${world.url}/n/narrow/simulator`);
  await expect(page.getByRole('gridcell', { name: `${NAME}, narrow` })).toBeInViewport({ ratio: 1 });
});

test('a window of 1280 by 800 at a zoom of 200 percent shows the rows of a list', async ({ page, world }) => {
  await page.setViewportSize({ width: 640, height: 400 });
  await page.goto(`${world.url}/n/operations/tasks`);
  await expect(page.getByRole('row', { name: /question-1/ })).toBeAttached();
  await page.getByRole('heading', { name: 'Runs' }).hover();
  await page.mouse.wheel(0, 2_000);
  const rows = page.getByRole('grid').getByRole('row');
  for (const index of [1, 2, 3]) await expect(rows.nth(index).getByRole('link').first()).toBeInViewport({ ratio: 1 });
});

test('the designer at a zoom of 200 percent scrolls to the button that applies, which covers no agent', async ({ page, world }) => {
  await page.setViewportSize({ width: 640, height: 400 });
  await page.goto(`${world.url}/n/operations/agent-systems/quarterly-report`);
  const apply = page.getByRole('button', { name: 'Review and apply' });
  await expect(apply).toBeAttached();
  await apply.scrollIntoViewIfNeeded();
  // Parts of the page that arrive late move both.
  await expect(async () => {
    const canvas = await page.getByRole('group', { name: 'Canvas of quarterly-report' }).boundingBox();
    const button = await apply.boundingBox();
    expect(button!.y).toBeGreaterThan(canvas!.y + canvas!.height);
  }).toPass({ timeout: 10_000 });
});
