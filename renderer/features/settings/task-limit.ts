// The limit of tasks that run at once, as a person types it. Pure.

export const LIMIT_MAX = 256;

/** Null: the default; undefined: no limit that the app takes. */
export function limitOf(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const limit = Number(trimmed);
  return /^\d{1,3}$/.test(trimmed) && limit >= 1 && limit <= LIMIT_MAX ? limit : undefined;
}
