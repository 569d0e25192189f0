// All addresses of the console in one place. Pure: features link with these and never join paths themselves.
import { kindNamed } from '../kinds/kind-table.ts';

/** Stands for all namespaces in an address. */
export const ALL_NAMESPACES = '-';

/** The pages of a namespace that are not lists of a kind. */
export type Page =
  | 'dashboard'
  | 'inbox'
  | 'tasks'
  | 'compare'
  | 'workers'
  | 'simulator'
  | 'tokens'
  | 'users'
  | 'account'
  | 'events'
  | 'capabilities'
  | 'settings'
  | 'import'
  | 'bundle'
  | 'chat'
  | 'experiment'
  | 'a2a'
  | 'help';

/** Values of a query; undefined, empty and false ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ObjectRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `?a=b` of the values in the order given, or nothing. */
export function queryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value as string | number | boolean | undefined]) {
      if (each !== undefined && each !== '' && each !== false) params.append(key, String(each));
    }
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

function path(...segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

/** A page of a namespace, `/n/default/tasks?phase=Failed`. */
export function pageAddress(namespace: string, page: Page, query?: Query): string {
  return path('n', namespace, page) + queryString(query);
}

/**
 * The list of a kind: for Tasks the runs, for Workers the fleet, for others the explorer. An unknown kind has none and leads to the
 * dashboard.
 */
export function kindAddress(namespace: string, kind: string, query?: Query): string {
  return path('n', namespace, kindNamed(kind)?.plural ?? 'dashboard') + queryString(query);
}

/** The page of one object. `scope` is the namespace the shell is set to: a page opened from all namespaces keeps that. */
export function objectAddress(object: ObjectRef, scope?: string, query?: Query): string {
  const plural = kindNamed(object.kind)?.plural ?? object.kind.toLowerCase();
  const kept = scope === ALL_NAMESPACES ? { scope: 'all' } : {};
  return path('n', object.namespace, plural, object.name) + queryString({ ...query, ...kept });
}

/** Pages that create an object without YAML. */
const CREATE_PAGES: Readonly<Partial<Record<string, Page>>> = { Session: 'chat', Experiment: 'experiment' };

/** Creation of an object of a kind; `template` and the like are parameters of the query. */
export function createAddress(namespace: string, kind: string, query?: Query): string {
  const page = CREATE_PAGES[kind];
  if (page !== undefined && query === undefined) return pageAddress(namespace, page);
  return path('n', namespace, 'new', kindNamed(kind)?.plural ?? kind.toLowerCase()) + queryString(query);
}

/** Two runs side by side, each `namespace/name`. */
export function compareAddress(namespace: string, left: ObjectRef, right: ObjectRef): string {
  return pageAddress(namespace, 'compare', { left: `${left.namespace}/${left.name}`, right: `${right.namespace}/${right.name}` });
}

/** New experiment with the inputs of runs of one system as its cases; all of one namespace. */
export function casesAddress(namespace: string, system: string, runs: readonly string[]): string {
  return pageAddress(namespace, 'experiment', { system, run: runs });
}

/** One item of the approvals inbox, opened. */
export function approvalAddress(scope: string, approval: ObjectRef): string {
  return pageAddress(scope, 'inbox', { item: `${approval.kind}/${approval.namespace}/${approval.name}` });
}

/** Question to the policy simulator, names as written in YAML. */
export interface SimulatorQuestion {
  readonly agent?: string;
  readonly tool?: string;
  readonly operation?: string;
  readonly task?: string;
  /** A stored rule to change there, to see the effect on the answer. */
  readonly rule?: ObjectRef;
}

/** The policy simulator with a question. */
export function simulatorAddress(namespace: string, { rule, ...question }: SimulatorQuestion): string {
  return pageAddress(namespace, 'simulator', { ...question, ...(rule && { try: `${rule.kind} ${rule.namespace}/${rule.name}` }) });
}

/** A guide of docs/, such as `reference/kinds/agents`, and the id of a heading in it. */
export function guideAddress(scope: string, guide: string, at?: string): string {
  return pageAddress(scope, 'help', { guide, at });
}

export function welcomeAddress(): string {
  return '/welcome';
}

/** Namespaces of an address: the one its page reads, and the scope of the shell. Undefined for pages outside of namespaces. */
export function scopeOf(pathname: string, search: string): { readonly namespace: string; readonly scope: string } | undefined {
  const match = /^\/n\/([^/]+)/.exec(pathname);
  if (!match?.[1]) return undefined;
  const namespace = decodeSegment(match[1]);
  return { namespace, scope: new URLSearchParams(search).get('scope') === 'all' ? ALL_NAMESPACES : namespace };
}

/** The same kind of page in another namespace: lists and pages stay, a new object keeps its start, an object's page becomes its list. */
export function inNamespace({ pathname, search }: { readonly pathname: string; readonly search: string }, namespace: string): string {
  const [, n, , section, name] = pathname.split('/').map(decodeSegment);
  if (n !== 'n' || section === undefined) return pageAddress(namespace, 'dashboard');
  if (section === 'new' && name !== undefined) return path('n', namespace, 'new', name) + search;
  return path('n', namespace, section);
}

/** Returns an invalid escape unchanged. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
