// How times are taken in the page: from an action to the paint that shows its result.
import type { Page } from '@playwright/test';
import type { Row } from '../row.ts';

interface Budget {
  readonly unit?: string;
  readonly limit: number;
  readonly note?: string;
}

/** A figure beside its budget. */
export const budget = (name: string, value: number, limits: Budget): Row => judged({ name, value }, limits, value <= limits.limit);

/** A figure that must reach its limit. */
export const floor = (name: string, value: number, limits: Budget): Row => judged({ name, value }, limits, value >= limits.limit);

function judged({ name, value }: Pick<Row, 'name' | 'value'>, { unit = 'ms', limit, note }: Budget, kept: boolean): Row {
  const verdict = kept ? 'kept' : 'MISSED';
  return {
    name,
    value,
    unit,
    reference: limit,
    referenceName: 'limit',
    ratio: value / limit,
    note: note === undefined ? verdict : `${verdict}; ${note}`,
  };
}

export interface Navigation {
  /** Where to, within the app: no page load. */
  readonly path: string;
  /** Shown once the requested code is loaded. */
  readonly ready: string;
  /** How many such elements there must be. */
  readonly count?: number;
}

/** Milliseconds from an in-app navigation to the frame after `ready` is on the page. */
export function timeNavigation(page: Page, navigation: Navigation): Promise<number> {
  return page.evaluate(async ({ path, ready, count = 1 }) => {
    // Written out each time: the transpiler names functions that are kept in variables by a call that the page does not have.
    await new Promise(requestAnimationFrame);
    const began = performance.now();
    // The router listens to the history as it does for the browser's own buttons.
    window.history.pushState({}, '', path);
    window.dispatchEvent(new PopStateEvent('popstate'));
    while (document.querySelectorAll(ready).length < count) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - began;
  }, navigation);
}

/** Frame times while an element is scrolled from top to bottom, in milliseconds. */
export function scrollFrames(page: Page, selector: string, frames: number): Promise<number[]> {
  return page.evaluate(
    async ([target, total]) => {
      const element = document.querySelector(target as string);
      if (!element) throw new Error(`nothing at ${String(target)}`);
      const times: number[] = [];
      const step = (element.scrollHeight - element.clientHeight) / (total as number);
      let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      for (let index = 1; index <= (total as number); index += 1) {
        element.scrollTop = index * step;
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        times.push(now - last);
        last = now;
      }
      return times;
    },
    [selector, frames],
  );
}

interface Dragged {
  dragging: boolean;
  dragTimes: number[];
}

/** Frame times while an element is dragged with the mouse, in milliseconds. */
export async function dragFrames(page: Page, selector: string, steps: number): Promise<number[]> {
  const element = page.locator(selector).first();
  const before = await element.boundingBox();
  if (!before) throw new Error(`nothing to drag at ${selector}`);
  const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(async () => {
    const shared = window as unknown as Dragged;
    shared.dragging = true;
    shared.dragTimes = [];
    let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    void (async () => {
      while (shared.dragging) {
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        shared.dragTimes.push(now - last);
        last = now;
      }
    })();
  });
  for (let step = 1; step <= steps; step += 1) await page.mouse.move(x + step, y + (step % 20));
  const times = await page.evaluate(() => {
    const shared = window as unknown as Dragged;
    shared.dragging = false;
    return shared.dragTimes;
  });
  const after = await element.boundingBox();
  await page.mouse.up();
  if (after === null || after.x - before.x < steps / 2) throw new Error(`${selector} was not dragged`);
  return times;
}

/** Begins to note tasks that hold the main thread for more than 50 ms. */
export function watchLongTasks(page: Page): Promise<void> {
  return page.evaluate(() => {
    const noted: number[] = [];
    (window as unknown as { longTasks: number[] }).longTasks = noted;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => noted.push(entry.duration))).observe({ type: 'longtask' });
  });
}

export function longTasks(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks);
}

/** Bytes of the JavaScript heap after a collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  await session.detach();
  return usedSize;
}

export async function median(runs: number, measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await measure());
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
}
