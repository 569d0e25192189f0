// What the address of a kind's list says, and what is asked of the server for it. Pure.
import type { Resource } from '@svc/shared/resource';
import { choiceParam, listParam, textParam, type SearchState } from '../../../app/search-state.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { nameBefore } from '../../runs/run-list-input.ts';

export const LIST_PARAMS = {
  phase: listParam,
  labels: textParam,
  /** The beginning of a name. */
  q: textParam,
  sort: choiceParam(['name', '-createdAt', 'createdAt']),
};

export type ListState = SearchState<typeof LIST_PARAMS>;

export const NO_FILTERS = { phase: [], labels: '', q: '' } as const satisfies Partial<ListState>;

export interface ListInput {
  readonly kind: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly order: ListState['sort'];
  readonly limit: number;
}

export const PAGE_SIZE = 200;

type Phased = Pick<KindSummary, 'phases' | 'fieldSelectors'>;

/** Whether the server can select the kind's objects by phase. */
export function selectsByPhase({ phases, fieldSelectors }: Phased): boolean {
  return phases.length > 1 && fieldSelectors.includes('status.phase');
}

/** Selectors can only be joined by "and": one phase is asked for, several are what is left when all others are ruled out. */
export function phaseSelector(kind: Phased, wanted: readonly string[]): string | undefined {
  const known = kind.phases.filter((phase) => wanted.includes(phase));
  if (!selectsByPhase(kind) || known.length === 0 || known.length === kind.phases.length) return undefined;
  if (known.length === 1) return `status.phase=${known[0]}`;
  const others = kind.phases.filter((phase) => !known.includes(phase));
  return others.map((phase) => `status.phase!=${phase}`).join(',');
}

/** What is left of a list by the server's own selectors. */
export function selectionOf(kind: KindSummary, state: Pick<ListState, 'phase' | 'labels'>, namespace: string | undefined) {
  const fieldSelector = phaseSelector(kind, state.phase);
  return {
    kind: kind.kind,
    ...(namespace !== undefined && { namespace }),
    ...(state.labels !== '' && { labelSelector: state.labels }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

/** A search by name goes in the order of names, so that within a namespace it is one range of them. */
export function listInput(kind: KindSummary, state: ListState, namespace: string | undefined): ListInput {
  const byName = state.q !== '' && namespace !== undefined;
  return { ...selectionOf(kind, state, namespace), order: byName ? 'name' : state.sort, limit: PAGE_SIZE };
}

/** Where the server begins for a prefix; undefined: at the start. */
export function firstCursor({ order, namespace }: ListInput, prefix: string): string | undefined {
  const before = order === 'name' && namespace !== undefined && prefix !== '' ? nameBefore(prefix) : undefined;
  return before === undefined ? undefined : `${namespace}/${before}`;
}

export function hasPrefix(resource: Resource, prefix: string): boolean {
  return resource.metadata.name.startsWith(prefix);
}

/** Whether reading on can bring more of a prefix: in the order of names, not once it is behind. */
export function worthReadingOn(last: Resource | undefined, input: ListInput, prefix: string): boolean {
  if (prefix === '' || last === undefined || input.order !== 'name' || input.namespace === undefined) return true;
  return last.metadata.name < prefix || hasPrefix(last, prefix);
}

export function isFiltered({ phase, labels, q }: ListState): boolean {
  return phase.length > 0 || labels !== '' || q !== '';
}

const SUGGESTED_MAX = 200;

/** Selectors seen on the objects read so far, each a clause to add to the one that is set. */
export function labelSuggestions(resources: readonly Resource[], selector: string): string[] {
  const clauses = new Set<string>();
  for (const { metadata } of resources) {
    for (const [key, value] of Object.entries(metadata.labels)) clauses.add(key).add(`${key}=${value}`);
    if (clauses.size > SUGGESTED_MAX) break;
  }
  const taken = new Set(selector.split(','));
  const fresh = [...clauses].filter((clause) => !taken.has(clause)).sort();
  return selector === '' ? fresh : fresh.map((clause) => `${selector},${clause}`);
}

/** The selector with one label more. */
export function withLabel(selector: string, key: string, value: string): string {
  const clause = `${key}=${value}`;
  if (selector.split(',').includes(clause)) return selector;
  return selector === '' ? clause : `${selector},${clause}`;
}
