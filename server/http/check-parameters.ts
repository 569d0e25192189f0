// Check of what a request carries outside its body against what its route declares. Runs once for every route, before its handler.
import { invalidFields, type FieldError } from '@svc/shared/errors';
import { didYouMean, SUGGESTED_MAX } from '@svc/shared/nearest-word';
import type { Query } from './query.ts';
import type { Parameter, Route } from './route.ts';
import { PATH_TYPES } from './text-types.ts';

export interface GivenParameters {
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

/** Every operation accepts it: the handling of unknown fields and parameters. */
const VALIDATION = 'fieldValidation';
const VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;
export const fieldValidationOf = (query: Query) => query.oneOf(VALIDATION, VALIDATIONS);
const NAME_SHOWN_MAX = 100;

/** Sentences about parameters that the operation does not declare; throws `invalid` naming them where the request is strict. */
export function unknownParameters({ query = [] }: Route, given: Pick<GivenParameters, 'query'>): readonly string[] {
  const validation = fieldValidationOf(given.query);
  const known = [...new Set([...query.map(({ name }) => name), VALIDATION])];
  const unknown = given.query.names().filter((name) => !known.includes(name));
  if (unknown.length === 0 || validation === 'Ignore') return [];
  const takes = `this operation accepts ${known.join(', ')}`;
  const hint = (name: string, i: number) => (i < SUGGESTED_MAX ? didYouMean(name, known) : '');
  if (validation !== 'Strict')
    return unknown.map((name, i) => `unknown query parameter "${name.slice(0, NAME_SHOWN_MAX)}" was ignored${hint(name, i)}; ${takes}`);
  throw invalidFields(
    'The request',
    unknown.map((name, i) => ({ path: name.slice(0, NAME_SHOWN_MAX), message: `is not a query parameter${hint(name, i)}; ${takes}` })),
  );
}

/** Sentences about keys that a JSON body repeats; throws `invalid` naming them where the request is strict. */
export function repeatedFields(paths: readonly string[], query: Query): readonly string[] {
  const validation = paths.length === 0 ? 'Ignore' : fieldValidationOf(query);
  if (validation === 'Strict')
    throw invalidFields(
      'The request',
      paths.map((path) => ({ path, message: 'is given more than once' })),
    );
  return validation === 'Ignore' ? [] : paths.map((path) => `field "${path}" is given more than once; the last value counts`);
}

/** Selections that not every list has, and no watch. */
const SELECTIONS = ['fieldSelector', 'q'];

/**
 * Parameters that are refused where they are not taken: an ignored dry run would write for real, an ignored offset would repeat the first page,
 * an ignored selection would list everything.
 */
function refusedParameters({ method, query = [] }: Route, given: GivenParameters): FieldError[] {
  const takes = (wanted: string) => query.some(({ name }) => name === wanted);
  const errors: FieldError[] = [];
  if (method !== 'GET' && !takes('dryRun') && (given.query.text('dryRun') ?? 'false') !== 'false')
    errors.push({ path: 'dryRun', message: 'is not supported by this operation, which always writes' });
  if (takes('limit') && takes('after') && !takes('offset') && given.query.text('offset') !== undefined)
    errors.push({ path: 'offset', message: 'is not supported by this operation; page with after' });
  if (method === 'GET' && takes('labelSelector'))
    for (const path of SELECTIONS.filter((name) => !takes(name) && given.query.text(name) !== undefined))
      errors.push({ path, message: `is not supported by this ${takes('limit') ? 'list' : 'watch'}` });
  return errors;
}

/** Throws `invalid` naming every parameter whose text is not of its declared type, or that may not be ignored where it is not taken. */
export function checkParameters(route: Route, given: GivenParameters): void {
  const { query = [], headers = [] } = route;
  const errors = problemsOf([
    ...Object.entries(given.params).map(([name, value]) => [name, value, PATH_TYPES[name]?.problem] as const),
    ...query.map(({ name, problem }) => [name, given.query.text(name), problem] as const),
    ...headers.map(({ name, problem }) => [name, given.header(name.toLowerCase()), problem] as const),
  ]);
  errors.push(...refusedParameters(route, given));
  if (errors.length > 0) throw invalidFields('The request', errors);
}
