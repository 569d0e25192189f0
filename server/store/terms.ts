// Search terms of an object: its labels and the indexed fields, as rows of one index table and as a filter. Pure.
import { ServiceError } from '@svc/shared/errors';
import { valueAtPath } from '@svc/shared/json';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { FieldRequirement, IndexFunctions, StoredObject } from './store.ts';

/** Fields that lists filter by. `spec.task_ref` finds the approvals of a task, `spec.a2a.auth` the systems of A2A, `status.reason` cancelled runs. */
export const INDEXED_FIELDS = [
  ...(['spec.task_ref', 'status.phase', 'status.reason', 'status.trial', 'spec.system', 'spec.mode'] as const),
  'spec.a2a.auth',
] as const;

/** Fields of two values of which nearly every object has `common`: it gets no row, and is selected by ruling `rare` out. */
const TWO_VALUED: Readonly<Record<string, { readonly common: string; readonly rare: string }>> = {
  'spec.mode': { common: 'run', rare: 'template' },
};

export interface Terms {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  /** As `referenceValue` writes them, each once; absent when there are none. */
  readonly references?: readonly string[];
  /** Absent for objects of a kind without any. */
  readonly sortValues?: Readonly<Record<string, string>>;
  /** Version of the search texts; absent for kinds without search texts. */
  readonly text?: string;
}

export type TermsOf = (object: StoredObject) => Terms;

/** The term of references; its values are the objects referred to. */
export const REFERENCE_TERM = 'reference';

export function referenceValue(key: ResourceKey): string {
  return describeKey(key);
}

export function labelTerm(key: string): string {
  return `label:${key}`;
}

export function fieldTerm(path: string): string {
  return `field:${path}`;
}

export function createTermsOf({ referencesOf = () => [], sortValuesOf = () => undefined, texts }: IndexFunctions = {}): TermsOf {
  return (object) => {
    const references = [...new Set(referencesOf(object).map(referenceValue))].sort();
    const sortValues = sortValuesOf(object);
    const text = texts?.versionOf(object);
    return {
      ...fixedTerms(object),
      ...(references.length > 0 && { references }),
      ...(sortValues && { sortValues }),
      ...(text !== undefined && { text }),
    };
  };
}

function fixedTerms(object: StoredObject): Terms {
  const fields: Record<string, string> = {};
  for (const path of INDEXED_FIELDS) {
    const value = fieldValue(object, path);
    if (value !== undefined && value !== TWO_VALUED[path]?.common) fields[path] = value;
  }
  return { labels: object.labels, fields };
}

/** Value of an indexed field. */
export function fieldValue(object: StoredObject, path: string): string | undefined {
  const value = valueAtPath(object, path);
  return typeof value === 'string' ? value : undefined;
}

/** The index rows of an object: `[term, value]`. */
export function termRows(terms: Terms): [string, string][] {
  return [
    ...Object.entries(terms.labels).map(([key, value]): [string, string] => [labelTerm(key), value]),
    ...Object.entries(terms.fields).map(([path, value]): [string, string] => [fieldTerm(path), value]),
    ...(terms.references ?? []).map((value): [string, string] => [REFERENCE_TERM, value]),
  ];
}

/** The field whose only value is empty: its rows are the objects without sort values. */
export const WITHOUT_SORT_VALUES = '';

/** The rows of an object among the sort values: `[field, value]`. */
export function sortRows({ sortValues }: Terms): [string, string][] {
  if (!sortValues) return [];
  const rows = Object.entries(sortValues);
  return rows.length === 0 ? [[WITHOUT_SORT_VALUES, '']] : rows;
}

interface RowChange {
  readonly removed: [string, string][];
  readonly added: [string, string][];
}

export interface TermChange extends RowChange {
  readonly sorting: RowChange;
  /** The texts are to be indexed. */
  readonly newText: boolean;
}

/** The rows that `rows` has and `others` has not. */
function without(rows: readonly [string, string][], others: readonly [string, string][]): [string, string][] {
  return rows.filter(([term, value]) => !others.some(([otherTerm, otherValue]) => otherTerm === term && otherValue === value));
}

/** The index rows that differ between two states of an object. */
export function termChange(before: Terms, after: Terms): TermChange {
  return {
    ...rowChange(termRows(before), termRows(after)),
    sorting: rowChange(sortRows(before), sortRows(after)),
    newText: after.text !== before.text,
  };
}

function rowChange(old: readonly [string, string][], next: readonly [string, string][]): RowChange {
  return { removed: without(old, next), added: without(next, old) };
}

/** The requirement on the rows of the index. Throws `invalid` for a path that has no index: the list would be a scan of the table. */
export function indexedRequirement(requirement: FieldRequirement): FieldRequirement {
  const { path, op, value } = requirement;
  const two = TWO_VALUED[path];
  if (value === two?.common) return { path, op: op === 'eq' ? 'neq' : 'eq', value: two.rare };
  if (INDEXED_FIELDS.some((indexed) => indexed === path)) return requirement;
  throw new ServiceError('invalid', `fieldSelector: ${path} cannot be selected by; use one of ${INDEXED_FIELDS.join(', ')}`);
}

/** As with labels, `neq` also holds when the field is absent. */
export function matchesField(requirement: FieldRequirement, fields: Readonly<Record<string, string>>): boolean {
  return (fields[requirement.path] === requirement.value) === (requirement.op === 'eq');
}
