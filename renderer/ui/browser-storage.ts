// JSON that this browser keeps, by key. A browser without storage keeps nothing, and nothing here rejects it.

type Area = 'localStorage' | 'sessionStorage';

/** Undefined where there is none, or none that can be read. */
export function readKept(key: string, area: Area = 'localStorage'): unknown {
  try {
    const text = window[area].getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined deletes it. */
export function keep(key: string, value: unknown, area: Area = 'localStorage'): void {
  try {
    if (value === undefined) window[area].removeItem(key);
    else window[area].setItem(key, JSON.stringify(value));
  } catch {
    // It lasts as long as the page.
  }
}
