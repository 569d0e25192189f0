// The query of an address as plain text values, `?phase=Failed&phase=Running`: readable, typable, without JSON in it. Pure.

export type SearchValues = Readonly<Record<string, string | readonly string[]>>;

/** Repeated names become lists. */
export function parseSearch(search: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  const params = new URLSearchParams(search);
  for (const key of new Set(params.keys())) {
    const all = params.getAll(key);
    Object.defineProperty(values, key, { value: all.length === 1 ? all[0] : all, enumerable: true, writable: true, configurable: true });
  }
  return values;
}

/** The inverse; undefined and empty values are left out. */
export function stringifySearch(values: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const each of (Array.isArray(value) ? value : [value]) as unknown[]) {
      if (isPlain(each) && each !== '') params.append(key, String(each));
    }
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
