// Settings of a person: one small document, kept by the server under their identity. Each setting reads itself from it. Pure.
import { isObject, type Json } from '@svc/shared/json';

/** One setting. Keys are the document's top level, `tables.tasks` being one key. */
export interface Preference<Value extends Json> {
  readonly key: string;
  /** Total: an invalid value of an older or newer console reads as the default. */
  readonly read: (stored: Json | undefined) => Value;
}

function choicePreference<const Choice extends string>(key: string, choices: readonly [Choice, ...Choice[]]): Preference<Choice> {
  return { key, read: (stored) => choices.find((choice) => choice === stored) ?? choices[0] };
}

export function flagPreference(key: string, fallback: boolean): Preference<boolean> {
  return { key, read: (stored) => (typeof stored === 'boolean' ? stored : fallback) };
}

/** A list of texts: hidden columns, pinned names. */
export function listPreference(key: string, fallback: readonly string[] = []): Preference<readonly string[]> {
  return {
    key,
    read: (stored) =>
      Array.isArray(stored) ? (stored as readonly Json[]).filter((each): each is string => typeof each === 'string') : fallback,
  };
}

/** Texts by name, such as the keys of shortcuts. */
export function mapPreference(key: string): Preference<Readonly<Record<string, string>>> {
  return {
    key,
    read: (stored) => {
      const entries = isObject(stored) ? Object.entries(stored) : [];
      return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
    },
  };
}

/** The merge patch that turns one value of a setting into another: removed keys are null in it. */
export function patchBetween(before: Json | undefined, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after;
  const lost = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).map(([key, value]): [string, Json] => [
    key,
    patchBetween((before as Record<string, Json>)[key], value),
  ]);
  return Object.fromEntries([...lost.map((key): [string, Json] => [key, null]), ...changed]);
}

export const THEME = choicePreference('theme', ['system', 'light', 'dark']);
export const CONTRAST = choicePreference('contrast', ['system', 'normal', 'high']);
export const DENSITY = choicePreference('density', ['comfortable', 'compact']);
export const TIME_MODE = choicePreference('timeMode', ['relative', 'local', 'utc']);
export const NAV_COLLAPSED = flagPreference('nav.collapsed', false);
/** On screens where the navigation is a rail of icons unless widened. */
export const NAV_RAIL_EXPANDED = flagPreference('nav.railExpanded', false);
export const NAV_CLOSED_GROUPS = listPreference('nav.closed');
/** Pinned entries of the switcher. */
export const PINNED_NAMESPACES = listPreference('namespaces.pinned');
export const SHORTCUT_KEYS = mapPreference('shortcuts');
