// Stored spec as a merge patch finds it. Pure.
import { isObject, jsonEquals, valueAtPath } from '../json.ts';
import type { KindDefinition, RuleContext } from './define.ts';

type Spec = Readonly<Record<string, unknown>>;

/** `stored` without the values that equal the defaults of `derivedDefaults`, so that those of the patched spec apply. */
export function patchBase(
  { derivedDefaults, normalize }: Pick<KindDefinition, 'derivedDefaults' | 'normalize'>,
  stored: Spec,
  context: RuleContext,
): unknown {
  if (derivedDefaults.length === 0) return stored;
  const defaults: unknown = normalize(withoutPaths(stored, derivedDefaults), context);
  return withoutPaths(
    stored,
    derivedDefaults.filter((path) => jsonEquals(valueAtPath(stored, path), valueAtPath(defaults, path))),
  );
}

const withoutPaths = (spec: unknown, paths: readonly string[]): unknown =>
  paths.reduce((left, path) => withoutPath(left, path.split('.')), spec);

function withoutPath(value: unknown, [field, ...rest]: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const left = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key !== field) return [[key, inner]];
    return rest.length === 0 ? [] : [[key, withoutPath(inner, rest)]];
  });
  return Object.fromEntries(left);
}
