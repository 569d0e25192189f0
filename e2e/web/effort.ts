// Effort of a walk through the console: presses of a pointer and of keys, as a person makes them.
import type { Page } from '@playwright/test';

export interface Effort {
  readonly clicks: number;
  readonly keys: number;
}

const MODIFIERS = ['Shift', 'Control', 'Alt', 'Meta'];

/** Counts from the next page that is opened in the tab. A modifier held with a key is part of that key; pressing a button by key is not a click. */
export async function countEffort(page: Page): Promise<() => Promise<Effort>> {
  await page.addInitScript((modifiers) => {
    const add = (name: string) => sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name) ?? 0) + 1));
    addEventListener('click', (event) => event.isTrusted && event.detail > 0 && add('clicks'), true);
    addEventListener('keydown', (event) => event.isTrusted && !event.repeat && !modifiers.includes(event.key) && add('keys'), true);
  }, MODIFIERS);
  return () =>
    page.evaluate(() => ({
      clicks: Number(sessionStorage.getItem('clicks') ?? 0),
      keys: Number(sessionStorage.getItem('keys') ?? 0),
    }));
}
