// Label changes for several objects, entered as text, and their validation. Pure.
import type { LabelChange } from './writes.ts';

const KEY = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/;
const VALUE = /^[A-Za-z0-9._/:@+-]{0,253}$/;

/** Why `key=value` cannot be a label, or undefined when it can. */
export function labelProblem(text: string): string | undefined {
  const at = text.indexOf('=');
  if (at < 0) return 'Write it as key=value.';
  const key = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  if (!KEY.test(key)) return 'The key must be letters, digits, ".", "_", "/" or "-", and begin and end with a letter or digit.';
  return VALUE.test(value) ? undefined : 'The value must be letters, digits or any of . _ / : @ + -';
}

export interface LabelEdit {
  /** `key=value` texts. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function changeOf({ added, removed }: LabelEdit): LabelChange {
  const set = added.map((text): [string, string] => {
    const at = text.indexOf('=');
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(set) };
}

export interface LabelInUse {
  readonly key: string;
  /** Distinct values of a label; several when the objects differ. */
  readonly values: readonly string[];
  readonly count: number;
}

/** Labels that any of the objects has. */
export function labelsInUse(
  objects: readonly { readonly metadata: { readonly labels: Readonly<Record<string, string>> } }[],
): LabelInUse[] {
  const found = new Map<string, { values: Set<string>; count: number }>();
  for (const { metadata } of objects) {
    for (const [key, value] of Object.entries(metadata.labels)) {
      const entry = found.get(key) ?? { values: new Set(), count: 0 };
      entry.values.add(value);
      entry.count += 1;
      found.set(key, entry);
    }
  }
  return [...found]
    .map(([key, { values, count }]) => ({ key, values: [...values].sort(), count }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}
