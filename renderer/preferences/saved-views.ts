// Views of a list that a person keeps: sets of filters by name, among the preferences.
import type { Json } from '@svc/shared/json';
import { useMemo } from 'react';
import type { Preference } from './preferences.ts';
import { usePreference } from './use-preferences.ts';

/** The filters of a list, as its address has them. */
export type Filters<F> = { readonly [Key in keyof F]: string | readonly string[] };

export interface SavedView<F> {
  readonly id: string;
  readonly name: string;
  readonly filters: F;
}

const keysOf = <F extends object>(none: F): (keyof F & string)[] => Object.keys(none) as (keyof F & string)[];

/** The part of a list's state that a view stores; `none` has the default of every filter. Pure. */
export function filtersOf<F extends Filters<F>>(state: F, none: F): F {
  return Object.fromEntries(keysOf(none).map((key) => [key, state[key]])) as unknown as F;
}

/** The view whose filters equal the list's, if any. Pure. */
export function viewOf<F extends Filters<F>>(state: F, none: F, views: readonly SavedView<F>[]): SavedView<F> | undefined {
  const text = (filters: F) =>
    JSON.stringify(
      keysOf(none).map((key) => {
        const value: string | readonly string[] = filters[key];
        return typeof value === 'string' ? value : [...value].sort();
      }),
    );
  return views.find(({ filters }) => text(filters) === text(state));
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);

/** Views in a person's preferences; invalid ones are left out. Pure. */
export function readViews<F extends Filters<F>>(stored: unknown, none: F): SavedView<F>[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((each: unknown) => {
    const { name, filters } = (each ?? {}) as { name?: unknown; filters?: Record<string, unknown> | null };
    if (typeof name !== 'string' || name === '' || typeof filters !== 'object' || filters === null) return [];
    const read = keysOf(none).map((key) => {
      const value = filters[key];
      return [key, Array.isArray(none[key]) ? texts(value) : typeof value === 'string' ? value : ''];
    });
    const whole: unknown = Object.fromEntries(read);
    return [{ id: `mine:${name}`, name, filters: whole as F }];
  });
}

/** The preference that stores them; define it once, outside of components. */
export function viewsPreference(key: string): Preference<Json> {
  return { key, read: (stored) => stored ?? [] };
}

export function useSavedViews<F extends Filters<F>>(preference: Preference<Json>, none: F) {
  const [stored, setStored] = usePreference(preference);
  const views = useMemo(() => readViews(stored, none), [stored, none]);
  const keep = (change: (views: readonly SavedView<F>[]) => readonly Omit<SavedView<F>, 'id'>[]) =>
    setStored((before: Json) => change(readViews(before, none)).map(({ name, filters }) => ({ name, filters })));
  return {
    views,
    /** A view of the same name is replaced. */
    save: (name: string, filters: F) => keep((mine) => [...mine.filter((each) => each.name !== name), { name, filters }]),
    remove: (id: string) => keep((mine) => mine.filter((each) => each.id !== id)),
  };
}
