// From nothing to a screen that can be used: a cold browser profile, the server on loopback.
import type { Browser } from '@playwright/test';
import { createWorld, seedWorld } from '../../e2e/world/world.ts';
import type { Row } from '../row.ts';
import { budget, median } from './probe.ts';

const RUNS = 7;

export async function benchFirstScreen(browser: Browser): Promise<Row[]> {
  const world = await createWorld();
  await seedWorld(world);
  const open = async (): Promise<number> => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(`${world.url}/n/operations/dashboard`);
    // Usable: the heading of the page is visible and the main thread responds.
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
    const time = performance.now() - began;
    await context.close();
    return time;
  };
  await open();
  const value = await median(RUNS, open);
  await world.dispose();
  return [budget('first screen interactive, cold profile, median', value, { limit: 1000 })];
}
