// Label selectors: `a=b,c!=d,e,!f,g in (x,y),h notin (z)`.
import { ServiceError } from './errors.ts';

/** One requirement on labels; all of a list must hold. */
export type LabelRequirement =
  | { readonly op: 'eq' | 'neq'; readonly key: string; readonly value: string }
  | { readonly op: 'exists' | 'missing'; readonly key: string }
  | { readonly op: 'in' | 'notin'; readonly key: string; readonly values: readonly string[] };

const KEY = '[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?';
const VALUE = '[A-Za-z0-9._/:@+-]*';
const PATTERNS: readonly [RegExp, (key: string, rest: string) => LabelRequirement][] = [
  [new RegExp(`^(${KEY})\\s*==?\\s*(${VALUE})$`), (key, value) => ({ op: 'eq', key, value })],
  [new RegExp(`^(${KEY})\\s*!=\\s*(${VALUE})$`), (key, value) => ({ op: 'neq', key, value })],
  [new RegExp(`^(${KEY})\\s+in\\s*\\(([^()]*)\\)$`), (key, list) => ({ op: 'in', key, values: listValues(list) })],
  [new RegExp(`^(${KEY})\\s+notin\\s*\\(([^()]*)\\)$`), (key, list) => ({ op: 'notin', key, values: listValues(list) })],
  [new RegExp(`^!\\s*(${KEY})$`), (key) => ({ op: 'missing', key })],
  [new RegExp(`^(${KEY})$`), (key) => ({ op: 'exists', key })],
];
const SELECTOR_MAX_CHARS = 4_096;
/** Values of one list: each is a parameter of the query in the database. */
const LIST_VALUES_MAX = 100;

function listValues(list: string): string[] {
  return [...new Set(list.split(',').map((value) => value.trim()))];
}

function refuse(what: string): never {
  throw new ServiceError('invalid', `labelSelector ${what}`, { details: [{ path: 'labelSelector', message: what }] });
}

/** Splits at commas outside parentheses. */
function clauses(text: string): string[] {
  return text.split(/,(?![^(]*\))/).map((clause) => clause.trim());
}

function parseClause(clause: string): LabelRequirement {
  for (const [pattern, build] of PATTERNS) {
    const match = pattern.exec(clause);
    if (match) return build(match[1] ?? '', match[2] ?? '');
  }
  return refuse(`has "${clause.slice(0, 80)}", which is not one of key=value, key!=value, key, !key, key in (a,b), key notin (a,b)`);
}

/** Requirements of a selector; the empty text gives none. Throws `invalid` naming the clause. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  if (text.trim() === '') return [];
  if (text.length > SELECTOR_MAX_CHARS) refuse(`is longer than ${SELECTOR_MAX_CHARS} characters`);
  const requirements = clauses(text).map(parseClause);
  const emptyList = requirements.find((r) => (r.op === 'in' || r.op === 'notin') && r.values.every((value) => value === ''));
  if (emptyList) refuse(`needs at least one value for "${emptyList.key}"`);
  const longList = requirements.find((r) => (r.op === 'in' || r.op === 'notin') && r.values.length > LIST_VALUES_MAX);
  if (longList) refuse(`lists more than ${LIST_VALUES_MAX} values for "${longList.key}"; ask in several requests`);
  return requirements;
}

/** Whether labels meet every requirement. As in Kubernetes, `!=` and `notin` also hold when the key is absent. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: Readonly<Record<string, string>>): boolean {
  return requirements.every((requirement) => {
    const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
    switch (requirement.op) {
      case 'eq':
        return value === requirement.value;
      case 'neq':
        return value !== requirement.value;
      case 'exists':
        return value !== undefined;
      case 'missing':
        return value === undefined;
      case 'in':
        return value !== undefined && requirement.values.includes(value);
      case 'notin':
        return value === undefined || !requirement.values.includes(value);
    }
  });
}
