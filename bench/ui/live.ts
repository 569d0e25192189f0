// 500 changes a second for ten seconds while a list of what changes is open: the page must stay answerable.
import type { Browser } from '@playwright/test';
import { createWorld, type World } from '../../e2e/world/world.ts';
import type { Row } from '../row.ts';
import { fillRoles } from './list.ts';
import { budget, heapBytes, longTasks, watchLongTasks } from './probe.ts';

const RATE = 500;
const SECONDS = 10;
const OBJECTS = 1000;
const MB = 1024 * 1024;

async function changeAtRate(world: World): Promise<number> {
  const began = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let index = 0; index < RATE * SECONDS; index += 1) {
    const due = began + (index / RATE) * 1000;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const name = `row-${String(index % OBJECTS).padStart(5, '0')}`;
    sent.push(world.call('PATCH', `/v1/agent-roles/${name}`, { metadata: { labels: { turn: String(index) } } }));
  }
  await Promise.all(sent);
  return (RATE * SECONDS * 1000) / (performance.now() - began);
}

export async function benchLive(browser: Browser): Promise<Row[]> {
  const world = await createWorld();
  await fillRoles(world, OBJECTS);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${world.url}/n/default/agent-roles`);
  await page.locator('[role="grid"] [aria-rowindex]').nth(5).waitFor();
  const before = await heapBytes(page);
  await watchLongTasks(page);
  const rate = await changeAtRate(world);
  const last = String(RATE * SECONDS - 1);
  const shown = performance.now();
  await page.waitForFunction(
    async (turn) => {
      const answer = await fetch('/v1/agent-roles/row-00999');
      const { metadata } = (await answer.json()) as { metadata: { labels: Record<string, string> } };
      return metadata.labels['turn'] === turn;
    },
    last,
    { timeout: 20_000 },
  );
  const settled = performance.now() - shown;
  const tasks = await longTasks(page);
  const growth = (await heapBytes(page)) - before;
  await page.close();
  await world.dispose();
  return [
    budget(`${Math.round(rate)} changes/s for ${SECONDS} s: longest task`, Math.max(0, ...tasks), {
      limit: 100,
      note: `${tasks.length} over 50 ms`,
    }),
    budget('the same: heap growth', growth / MB, { unit: 'MB', limit: 20, note: `settled after ${Math.round(settled)} ms` }),
  ];
}
