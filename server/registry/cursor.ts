// List cursors as text: `namespace/name`, `namespace/name@createdAt` for the createdAt orders, `namespace/name@order@value@createdAt` for
// orders by value, and `search:place` for searches. Pure.
import { ServiceError } from '@svc/shared/errors';
import { nameProblem, namespaceProblem } from '@svc/shared/resource';
import type { ListCursor } from '../store/list-order.ts';
import type { StoredObject } from '../store/store.ts';

const TIMESTAMP_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const SEARCH_PATTERN = /^search:(\d{1,15})$/;
const ORDER_PATTERN = /^-?[A-Za-z][\w.]{0,79}$/;

/** The cursor of a page, and the order by value that it belongs to. */
export interface PageCursor extends ListCursor {
  readonly order?: string;
  /** Place in a search, which has no other. */
  readonly search?: number;
}

/** The cursor after `last` in an order by key. */
export function formatCursor(last: ListCursor, order: string): string {
  const plain = `${last.namespace}/${last.name}`;
  return order === 'name' || order === '-name' || last.createdAt === undefined ? plain : `${plain}@${last.createdAt}`;
}

/** The cursor after `last`, which has this value, in an order by value. */
export function formatValueCursor({ namespace, name, createdAt }: StoredObject, order: string, value: string): string {
  return `${namespace}/${name}@${order}@${encodeURIComponent(value)}@${createdAt}`;
}

/** The cursor of a search that has come to this place. */
export function formatSearchCursor(place: number): string {
  return `search:${place}`;
}

/** Reads a cursor; a bare name belongs to `namespace` (undefined: the list spans all, and a bare name says too little). Throws `invalid`. */
export function parseCursor(text: string, namespace: string | undefined): PageCursor {
  const [, place] = SEARCH_PATTERN.exec(text) ?? [];
  return place === undefined ? parsePlace(text, namespace) : { namespace: '', name: '', search: Number(place) };
}

function parsePlace(text: string, namespace: string | undefined): PageCursor {
  const [position = '', ...rest] = text.split('@');
  const slash = position.indexOf('/');
  const name = position.slice(slash + 1);
  const home = slash < 0 ? namespace : position.slice(0, slash);
  const place = rest.length > 1 ? valuePlace(rest) : timePlace(rest);
  if (home === undefined || namespaceProblem(home) || nameProblem(name) || !place) {
    throw new ServiceError(
      'invalid',
      `"${text.slice(0, 100)}" is not a valid cursor: after takes the "continue" value of the previous page, namespace/name`,
    );
  }
  return { namespace: home, name, ...place };
}

function timePlace([createdAt]: readonly string[]): Partial<PageCursor> | undefined {
  if (createdAt === undefined) return {};
  return TIMESTAMP_PATTERN.test(createdAt) ? { createdAt } : undefined;
}

function valuePlace([order = '', encoded = '', createdAt = '', ...rest]: readonly string[]): Partial<PageCursor> | undefined {
  const value = decoded(encoded);
  if (rest.length > 0 || value === undefined || !ORDER_PATTERN.test(order) || !TIMESTAMP_PATTERN.test(createdAt)) return undefined;
  return { order, value, createdAt };
}

function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}
