// Sizes for the simulated DOM, which has no layout: a table that draws only visible rows would draw none.
import { afterAll, beforeAll } from 'vitest';

const SIZES = { clientHeight: 600, clientWidth: 800 };

/** Gives every element a size during the tests of the file. */
export function giveLayout(): void {
  const own = Object.getOwnPropertyDescriptors(HTMLElement.prototype) as Readonly<Record<string, PropertyDescriptor | undefined>>;
  beforeAll(() => {
    for (const [key, value] of Object.entries(SIZES))
      Object.defineProperty(HTMLElement.prototype, key, { configurable: true, get: () => value });
  });
  afterAll(() => {
    for (const key of Object.keys(SIZES)) {
      if (own[key]) Object.defineProperty(HTMLElement.prototype, key, own[key]);
      else Reflect.deleteProperty(HTMLElement.prototype, key);
    }
  });
}
