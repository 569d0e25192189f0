// Runs axe in a page without frames.
import type { Page } from '@playwright/test';
import axe, { type Result, type RunOptions } from 'axe-core';

/** CSS selectors of the parts to inspect, instead of the whole page, and of those to leave out. */
interface Parts {
  readonly include?: string | undefined;
  readonly exclude?: string | undefined;
}

/** Waits for two frames and the end of transitions: colours during a transition belong to neither theme. */
export const settled = (page: Page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });

export async function violationsIn(page: Page, { include = 'html', exclude }: Parts = {}, options: RunOptions = {}): Promise<Result[]> {
  if (page.frames().length !== 1) throw new Error('axe would leave out the frames of this page');
  // Half a megabyte that takes longer than some inspections: sent once for each document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  await page.locator(include).first().waitFor({ state: 'attached' });
  await settled(page);
  const argument = JSON.stringify([{ include: [include], exclude: exclude === undefined ? [] : [exclude] }, options]);
  return (await page.evaluate<{ violations: Result[] }>(`axe.run(...${argument})`)).violations;
}
