// Cleaning steps that kinds' normalise rules are built from: trimming, lower-casing, deduplication.
// Pure and idempotent; independent of any kind.

/** Trimmed text; blank counts as absent, so that defaults apply. */
export function trimmed(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

/** A value of a closed set as it is stored: trimmed and lower-case; blank counts as absent. */
export function keyword(value: string | undefined): string | undefined {
  return trimmed(value)?.toLowerCase();
}

/** Trims every entry and keeps all of them, blanks too: the rules reject blanks by index. */
export function trimEach(values: readonly string[] | undefined): string[] | undefined {
  return values?.map((value) => value.trim());
}

/** Trimmed entries without blanks and without repetitions; the first of equal entries stays. */
export function unique(values: readonly string[] | undefined): string[] | undefined {
  return uniqueBy(values, (value) => value);
}

/** Like `unique`, with entries that differ only in case taken as equal; the first spelling stays. */
export function uniqueIgnoringCase(values: readonly string[] | undefined): string[] | undefined {
  return uniqueBy(values, (value) => value.toLowerCase());
}

function uniqueBy(values: readonly string[] | undefined, keyOf: (value: string) => string): string[] | undefined {
  if (values === undefined) return undefined;
  const byKey = new Map<string, string>();
  for (const value of values.map((entry) => entry.trim())) {
    if (value !== '' && !byKey.has(keyOf(value))) byKey.set(keyOf(value), value);
  }
  return [...byKey.values()];
}

type MayBeAbsent<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
/** `T` without the value undefined: a field that may hold it may be absent instead. */
export type Defined<T> = { [K in Exclude<keyof T, MayBeAbsent<T>>]: T[K] } & { [K in MayBeAbsent<T>]?: Exclude<T[K], undefined> };

/** The object without its undefined fields: what is absent is not stored. For objects of known fields, not for maps whose keys clients choose. */
export function defined<T extends object>(value: T): Defined<T> {
  const result: Partial<T> = {};
  // A loop, because this runs several times for each write.
  for (const key of Object.keys(value) as (keyof T)[]) if (value[key] !== undefined) result[key] = value[key];
  return result as Defined<T>;
}
