// Check of what a request carries outside its body against what its route declares. Runs once for every route, before its handler.
import { invalidFields, type FieldError } from '@svc/shared/errors';
import type { Query } from './query.ts';
import type { Parameter, Route } from './route.ts';
import { PATH_TYPES } from './text-types.ts';

export interface Given {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly header: (name: string) => string | undefined;
}

function problemsOf(values: Iterable<readonly [string, string | undefined, Parameter['problem']]>): FieldError[] {
  const errors: FieldError[] = [];
  for (const [path, value, rule] of values) {
    const message = value === undefined ? undefined : rule?.(value);
    if (message !== undefined) errors.push({ path, message });
  }
  return errors;
}

/** Throws `invalid` naming every parameter whose text is not of its declared type. */
export function checkParameters({ query = [], headers = [] }: Route, given: Given): void {
  const errors = problemsOf([
    ...Object.entries(given.params).map(([name, value]) => [name, value, PATH_TYPES[name]?.problem] as const),
    ...query.map(({ name, problem }) => [name, given.query.text(name), problem] as const),
    ...headers.map(({ name, problem }) => [name, given.header(name.toLowerCase()), problem] as const),
  ]);
  if (errors.length > 0) throw invalidFields('The request', errors);
}
