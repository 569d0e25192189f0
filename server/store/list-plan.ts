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

type Selection = Pick<PageQuery, 'labels' | 'fields' | 'references' | 'namePart'>;

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

/** Terms that usually have fewest objects first: who refers to an object, a task's approvals, then labels and templates, then a system's or a phase's tasks. */
function selectivity(candidate: Candidate): number {
  if (candidate.term === REFERENCE_TERM) return -1;
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

/** Throws `invalid` for a field without an index. */
export function planList(query: Selection): ListPlan {
  const labels = query.labels ?? [];
  const fields = (query.fields ?? []).map(indexedRequirement);
  const { references } = query;
  const referring = references ? [{ requirement: references, term: REFERENCE_TERM, values: [referenceValue(references)] }] : [];
  const candidates = [...referring, ...fieldCandidates(fields), ...labelCandidates(labels)].sort((a, b) => selectivity(a) - selectivity(b));
  const chosen = candidates[0];
  const labelsLeft = labels.filter((l) => l !== chosen?.requirement);
  const fieldsLeft = fields.filter((f) => f !== chosen?.requirement);
  const left = (terms: Terms) => matchesLabels(labelsLeft, terms.labels) && fieldsLeft.every((f) => matchesField(f, terms.fields));
  const filter = rowFilter(query.namePart, labelsLeft.length + fieldsLeft.length > 0 ? left : undefined);
  return {
    ...(chosen && { driver: { term: chosen.term, values: chosen.values } }),
    ...(filter && { filter }),
  };
}

/** Names are compared first: terms are parsed only where the name matches. */
function rowFilter(namePart: string | undefined, byTerms: TermFilter | undefined): ListPlan['filter'] {
  const matchesTerms = byTerms && ((row: FilteredRow) => byTerms(JSON.parse(row.body) as Terms));
  if (namePart === undefined) return matchesTerms;
  const part = namePart.toLowerCase();
  return (row) => row.name.toLowerCase().includes(part) && (matchesTerms === undefined || matchesTerms(row));
}
