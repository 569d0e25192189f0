// Decides how a list is read: which index range drives it, and what is left to filter. Pure.
import { matchesLabels } from '@svc/shared/labels';
import type { ResourceKey } from '@svc/shared/resource';
import type { FieldRequirement, LabelRequirement, PageQuery } from './store.ts';
import { fieldTerm, indexedRequirement, labelTerm, matchesField, REFERENCE_TERM, referenceValue } from './terms.ts';
import type { Terms } from './terms.ts';

export interface ListPlan {
  /** The index term whose rows are read, one range per value; absent: all objects of the kind. */
  readonly driver?: { readonly term: string; readonly values: readonly string[] };
  /** Conditions that the driver does not guarantee; absent when there are none. */
  readonly filter?: (row: FilteredRow) => boolean;
}

/** A row with its terms as JSON. */
export interface FilteredRow {
  readonly name: string;
  readonly body: string;
}

type TermFilter = (terms: Terms) => boolean;

/** The conditions of a list. */
export type Selection = Pick<PageQuery, 'labels' | 'fields' | 'references' | 'namePart'>;

interface Candidate {
  readonly requirement: LabelRequirement | FieldRequirement | ResourceKey;
  readonly term: string;
  readonly values: readonly string[];
}

function fieldCandidates(fields: readonly FieldRequirement[]): Candidate[] {
  return fields.filter((f) => f.op === 'eq').map((f) => ({ requirement: f, term: fieldTerm(f.path), values: [f.value] }));
}

function labelCandidates(labels: readonly LabelRequirement[]): Candidate[] {
  return labels.flatMap((l): Candidate[] => {
    if (l.op === 'eq') return [{ requirement: l, term: labelTerm(l.key), values: [l.value] }];
    if (l.op === 'in') return [{ requirement: l, term: labelTerm(l.key), values: [...new Set(l.values)] }];
    return [];
  });
}

/** Terms that usually have fewest objects first: a task's approvals, then labels and templates, then a system's or a phase's tasks. */
function selectivity(candidate: Candidate): number {
  if (candidate.term === fieldTerm('spec.task_ref')) return 0;
  if (candidate.term.startsWith('label:')) return candidate.values.length === 1 ? 1 : 2;
  if (candidate.term === fieldTerm('spec.mode')) return 2;
  return candidate.term === fieldTerm('spec.system') ? 3 : 4;
}

/** All requirements on the terms of a list as one filter, whatever drives it; absent when there are none. Throws `invalid` for a field without an index. */
export function filterOf({ labels = [], references, ...query }: Selection): TermFilter | undefined {
  const fields = (query.fields ?? []).map(indexedRequirement);
  if (labels.length + fields.length === 0 && !references) return undefined;
  const referring = references && referenceValue(references);
  return (terms) =>
    matchesLabels(labels, terms.labels) &&
    fields.every((field) => matchesField(field, terms.fields)) &&
    (referring === undefined || terms.references?.includes(referring) === true);
}

/** One plan for each index term that may drive the list, as `selectivity` orders them; references drive alone, and a list without a term has one plan. Throws `invalid` for a field without an index. */
export function plansOf(query: Selection): readonly [ListPlan, ...ListPlan[]] {
  const labels = query.labels ?? [];
  const fields = (query.fields ?? []).map(indexedRequirement);
  const { references } = query;
  const candidates: Candidate[] = references
    ? [{ requirement: references, term: REFERENCE_TERM, values: [referenceValue(references)] }]
    : [...fieldCandidates(fields), ...labelCandidates(labels)].sort((a, b) => selectivity(a) - selectivity(b));
  const planOf = (chosen?: Candidate): ListPlan => {
    const labelsLeft = labels.filter((l) => l !== chosen?.requirement);
    const fieldsLeft = fields.filter((f) => f !== chosen?.requirement);
    const left = (terms: Terms) => matchesLabels(labelsLeft, terms.labels) && fieldsLeft.every((f) => matchesField(f, terms.fields));
    const filter = rowFilter(query.namePart, labelsLeft.length + fieldsLeft.length > 0 ? left : undefined);
    return { ...(chosen && { driver: { term: chosen.term, values: chosen.values } }), ...(filter && { filter }) };
  };
  const [first, ...others] = candidates;
  return [planOf(first), ...others.map(planOf)];
}

/** Names are compared first: terms are parsed only where the name matches. */
function rowFilter(namePart: string | undefined, byTerms: TermFilter | undefined): ListPlan['filter'] {
  const matchesTerms = byTerms && ((row: FilteredRow) => byTerms(JSON.parse(row.body) as Terms));
  if (namePart === undefined) return matchesTerms;
  const part = namePart.toLowerCase();
  return (row) => row.name.toLowerCase().includes(part) && (matchesTerms === undefined || matchesTerms(row));
}
