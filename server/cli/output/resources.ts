// Resources as tables, YAML, JSON and names.
import { isObject, valueAtPath } from '@svc/shared/json';
import type { Column, KindDefinition } from '@svc/shared/kinds/define';
import type { Resource } from '@svc/shared/resource';
import { objectWord } from '../arguments/kind-arguments.ts';
import { yamlText } from './data-text.ts';
import type { Style } from './style.ts';
import { age } from './time.ts';

export interface TableLayout {
  readonly namespaces: boolean;
  readonly wide: boolean;
  /** The kind precedes each name. */
  readonly kindNames?: boolean;
  readonly labels?: boolean | undefined;
  readonly nowMs: number;
  readonly style: Style;
}

/** Any JSON value in one cell: lists of texts by commas, maps as k=v, other structures as compact JSON. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.length === 0 ? '-' : value.every((item) => typeof item !== 'object') ? value.join(',') : JSON.stringify(value);
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '-';
  return entries.every(([, item]) => typeof item !== 'object')
    ? entries.map(([key, item]) => `${key}=${String(item)}`).join(',')
    : JSON.stringify(value);
}

const isIdentity = (column: Column): boolean => column.path === 'metadata.name' || column.path === 'metadata.namespace';
const isAge = (column: Column): boolean => column.path === 'metadata.createdAt';

/** The kind's own columns between the name in front and the age (and, when wide, labels) behind. */
function columnsOf(kind: KindDefinition, layout: TableLayout): Column[] {
  const own = kind.columns.filter((column) => !isIdentity(column) && !isAge(column) && (layout.wide || !column.wide));
  return [
    ...(layout.namespaces ? [{ title: 'Namespace', path: 'metadata.namespace' }] : []),
    { title: 'Name', path: 'metadata.name' },
    ...own,
    { title: 'Age', path: 'metadata.createdAt' },
    ...(layout.wide || layout.labels ? [{ title: 'Labels', path: 'metadata.labels' }] : []),
  ];
}

function cell(resource: Resource, column: Column, layout: TableLayout): string {
  const value = valueAtPath(resource, column.path);
  if (layout.kindNames && column.path === 'metadata.name') return resourceName(resource);
  if (isAge(column)) return age(typeof value === 'string' ? value : undefined, layout.nowMs);
  if (typeof value === 'string' && /(?:Time|At|Heartbeat|Until)$/.test(column.path) && !Number.isNaN(Date.parse(value)))
    return relativeTime(value, layout.nowMs);
  const text = cellText(value);
  return column.path === 'status.phase' ? layout.style.phase(text) : text;
}

/** `5m ago`, or `in 5m` for what is still to come. */
export function relativeTime(value: string, nowMs: number): string {
  const then = Date.parse(value);
  return then <= nowMs ? `${age(value, nowMs)} ago` : `in ${age(new Date(nowMs).toISOString(), then)}`;
}

export function resourceHeader(kind: KindDefinition, layout: TableLayout): string[] {
  return columnsOf(kind, layout).map((column) => column.title.toUpperCase());
}

/** Titles of the kind's own columns in the order in which a narrow terminal leaves them out: from the right, the state last. */
export function droppedFirst(kind: KindDefinition, layout: TableLayout): string[] {
  const own = columnsOf(kind, layout).slice(1).reverse();
  return own.filter(({ path }) => path !== 'status.phase' && !isAge({ title: '', path })).map(({ title }) => title.toUpperCase());
}

/** A row as wide as the kind's rows will get where that is known: the longest phase, for tables that grow line by line. */
export function widestRow(kind: KindDefinition, layout: TableLayout): string[] {
  const longest = [...kind.phases].sort((a, b) => b.length - a.length)[0] ?? '';
  return columnsOf(kind, layout).map((column) => (column.path === 'status.phase' ? longest : ''));
}

export function resourceRow(kind: KindDefinition, resource: Resource, layout: TableLayout): string[] {
  return columnsOf(kind, layout).map((column) => cell(resource, column, layout));
}

/**
 * One YAML document that `apply` accepts: the version is left out, so that a saved document can be applied later,
 * and the rest of what the service owns is ignored there.
 */
export function resourceYaml(resource: Resource): string {
  const { resourceVersion: _version, name, namespace, labels, annotations, ...owned } = resource.metadata;
  const metadata = { name, namespace, ...(hasEntries(labels) && { labels }), ...(hasEntries(annotations) && { annotations }), ...owned };
  const { apiVersion, kind, spec, status } = resource;
  return yamlText({ apiVersion, kind, metadata, spec, status });
}

const hasEntries = (map: Readonly<Record<string, string>> | undefined): boolean => Object.keys(map ?? {}).length > 0;

export function resourceName(resource: Resource): string {
  return objectWord(resource.kind, resource.metadata.name);
}
