// A list of 10,000 rows: the time until all of them are loaded, and scrolling.
import type { Browser, Page } from '@playwright/test';
import { createWorld, type World } from '../../e2e/world/world.ts';
import { percentile, type Row } from '../row.ts';
import { budget, median, scrollFrames, timeNavigation } from './probe.ts';

const ROWS = 10_000;
const BATCH = 1000;
const GRID = '[role="grid"]';
const ROW = `${GRID} [role="row"][aria-rowindex]`;
const RUNS = 5;

export async function fillRoles(world: World, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, rows - from) }, (_, index) => {
      const name = `row-${String(from + index).padStart(5, '0')}`;
      return `kind: AgentRole\nmetadata: {name: ${name}, labels: {batch: "${from}"}}\nspec: {permissions: [read.${index % 7}]}`;
    });
    await world.apply(documents.join('\n---\n'));
  }
}

/** Scrolls to the end until everything is loaded. */
async function loadAll(page: Page, rows: number): Promise<void> {
  await page.waitForFunction(
    async ([selector, total]) => {
      const grid = document.querySelector(selector as string);
      if (!grid) return false;
      grid.scrollTop = grid.scrollHeight;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const last = [...grid.querySelectorAll('[aria-rowindex]')].at(-1);
      return Number(last?.getAttribute('aria-rowindex')) >= (total as number);
    },
    [GRID, rows],
    { timeout: 120_000, polling: 50 },
  );
}

export async function benchList(browser: Browser): Promise<Row[]> {
  const world = await createWorld();
  await fillRoles(world, ROWS);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${world.url}/n/default/agent-roles`);
  await page.locator(ROW).nth(5).waitFor();
  await loadAll(page, ROWS);
  const mount = await median(RUNS, async () => {
    await timeNavigation(page, { path: '/n/default/capabilities', ready: 'h1' });
    await page.waitForFunction((selector) => document.querySelector(selector) === null, GRID);
    return timeNavigation(page, { path: '/n/default/agent-roles', ready: ROW, count: 10 });
  });
  const frames = await scrollFrames(page, GRID, 300);
  const rowsOnPage = await page.locator(ROW).count();
  await page.close();
  await world.dispose();
  return [
    budget(`list of ${ROWS.toLocaleString('en-US')} loaded rows, navigation to paint`, mount, {
      limit: 150,
      note: `${rowsOnPage} rows on the page`,
    }),
    budget('its scrolling, p95 frame', percentile(frames, 95), { limit: 32 }),
  ];
}
