// The input of a run while it is edited: keys may be empty or double meanwhile. Pure.

export interface InputRow {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

type Values = Readonly<Record<string, string>>;

export function rowsOf(input: Values): InputRow[] {
  return Object.entries(input).map(([key, value], id) => ({ id, key, value }));
}

/** The later of two rows with one key wins. Keys are taken as they are, `__proto__` included. */
export function inputOf(rows: readonly InputRow[]): Record<string, string> {
  return Object.fromEntries(rows.map(({ key, value }) => [key.trim(), value]));
}

/** Problems by row. */
export function problemsOf(rows: readonly InputRow[]): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  const seen = new Set<string>();
  for (const row of rows) {
    const key = row.key.trim();
    if (key === '') problems.set(row.id, 'Give it a key, or remove it.');
    else if (seen.has(key)) problems.set(row.id, 'This key is already used.');
    seen.add(key);
  }
  return problems;
}

export interface InputChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Differences, in the order of the new input, removed keys last. */
export function changesOf(before: Values, after: Values): InputChange[] {
  const at = (values: Values, key: string) => (Object.hasOwn(values, key) ? values[key] : undefined);
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return keys.map((key) => ({ key, before: at(before, key), after: at(after, key) })).filter((change) => change.before !== change.after);
}
