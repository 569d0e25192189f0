// The canvas at first sight: size of its text, its share of the window, its view after an addition, its connections in words.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;
const TEXT_MIN_PX = 12;
const FIRST_ZOOM_MIN = 0.9;
const CANVAS_SHARE_MIN = 0.55;

const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });
const nodes = (page: Page) => page.locator('.react-flow__node');

const zoomOf = (page: Page) =>
  page.locator('.react-flow__viewport').evaluate((viewport) => new DOMMatrix(getComputedStyle(viewport).transform).a);

/** The zoom once the view stands still. */
async function stillZoom(page: Page): Promise<number> {
  let zoom = Number.NaN;
  await expect(async () => {
    const before = zoom;
    zoom = await zoomOf(page);
    expect(zoom).toBe(before);
  }).toPass({ intervals: [200], timeout: 10_000 });
  return zoom;
}

/** The smallest text of cards and connections, as it is on the screen. */
const smallestText = (page: Page) =>
  page.locator('.react-flow').evaluate((flow) => {
    const zoom = new DOMMatrix(getComputedStyle(flow.querySelector('.react-flow__viewport') ?? flow).transform).a;
    const parts = [...flow.querySelectorAll('.react-flow__node *, .react-flow__edgelabel-renderer *, .react-flow__edge text')];
    const written = parts.filter((part) =>
      [...part.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== ''),
    );
    return Math.min(...written.map((part) => Number.parseFloat(getComputedStyle(part).fontSize) * zoom));
  });

test('at first sight the canvas is readable, large and in words', async ({ page, world }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${world.url}/n/operations/agent-systems/service-desk`);
  await expect(agent(page, 'triage').first()).toBeVisible({ timeout: FIRST_LOOK_MS });
  expect(await zoomOf(page)).toBeGreaterThanOrEqual(FIRST_ZOOM_MIN);
  expect(await smallestText(page)).toBeGreaterThanOrEqual(TEXT_MIN_PX);
  const share = await page.locator('.react-flow').evaluate((flow) => {
    const { width, height } = flow.getBoundingClientRect();
    return (width * height) / (innerWidth * innerHeight);
  });
  expect(share).toBeGreaterThanOrEqual(CANVAS_SHARE_MIN);
  // A conditional connection says when it is taken.
  await page.goto(`${world.url}/n/operations/agent-systems/service-desk?item=triage`);
  await expect(page.getByRole('region', { name: 'Connections' }).getByRole('button').first()).toContainText(
    /^to\s*billing\s*on success, with route=billing$/,
  );
  await expectNoBarriers(page, { picture: 'first-sight', widths: [1000, 1440] });
});

test('added agents are shown together, and the view is zoomed by buttons', async ({ page, emptyWorld: world }) => {
  await page.goto(`${world.url}/n/default/new/agent-systems`);
  await page.getByRole('textbox', { name: 'Name' }).fill('fitting', { timeout: FIRST_LOOK_MS });
  for (const name of ['one', 'two', 'three']) {
    await page.getByRole('button', { name: 'Add agent' }).click();
    await page.getByRole('combobox', { name: 'Agent' }).fill(name);
    await page.keyboard.press('Enter');
    await expect(agent(page, name)).toBeVisible();
  }
  for (const name of ['one', 'two', 'three']) await expect(agent(page, name)).toBeInViewport({ ratio: 1 });
  // The view moves for a moment to show them.
  await expect(async () => {
    const flow = await page.locator('.react-flow').boundingBox();
    for (const name of ['one', 'two', 'three']) {
      const box = await agent(page, name).boundingBox();
      expect(box && flow && box.x >= flow.x && box.x + box.width <= flow.x + flow.width).toBe(true);
    }
  }).toPass({ timeout: 10_000 });
  const before = await stillZoom(page);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect.poll(() => zoomOf(page)).toBeLessThan(before);
});

test('a system of 200 agents is drawn, walked and edited', async ({ page, emptyWorld: world }) => {
  const names = Array.from({ length: 200 }, (_, index) => `step-${String(index).padStart(3, '0')}`);
  const graph = Object.fromEntries(names.map((name, index) => [name, { edges: index === 199 ? [] : [{ to: names[index + 1] }] }]));
  const documents = [
    { kind: 'ModelEndpoint', metadata: { name: 'm' }, spec: { provider: 'mock' } },
    ...names.map((name) => ({ kind: 'Agent', metadata: { name }, spec: { model_ref: 'm' } })),
    { kind: 'AgentSystem', metadata: { name: 'long' }, spec: { agents: names, graph } },
  ];
  await world.apply(documents.map((document) => JSON.stringify(document)).join('\n---\n'));
  await page.goto(`${world.url}/n/default/agent-systems/long`);
  await expect(nodes(page).first()).toBeVisible({ timeout: FIRST_LOOK_MS });
  expect(await zoomOf(page)).toBeGreaterThanOrEqual(FIRST_ZOOM_MIN);
  await page.keyboard.press('/');
  await page.keyboard.type('step-150');
  await page.keyboard.press('Enter');
  await expect(agent(page, 'step-150')).toBeInViewport();
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('textbox', { name: 'Prompt' }).fill('Shorter.');
  await expect(page.getByRole('button', { name: 'Review and apply' })).toBeEnabled();
  // Undo shows the agents that it restores.
  await page.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('Control+a');
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'Remove' }).click();
  await expect(nodes(page)).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(agent(page, 'step-000')).toBeInViewport();
});
