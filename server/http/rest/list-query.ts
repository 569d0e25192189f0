// The list parameters as a registry request.
import { parseFieldSelector } from '@svc/shared/field-selector';
import { defined } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { parseLabelSelector, type LabelRequirement } from '@svc/shared/labels';
import { parseCursor } from '../../registry/cursor.ts';
import type { ListRequest } from '../../registry/registry.ts';
import type { Query } from '../query.ts';
import { LIST_LIMIT } from './parameters.ts';

/** Items read at once for a request without a page size. */
export const READ_PAGE = 500;

export function labelsOf(query: Query): LabelRequirement[] | undefined {
  const selector = query.text('labelSelector');
  return selector === undefined ? undefined : parseLabelSelector(selector);
}

export interface ListQuery {
  readonly request: ListRequest;
  /** True when the answer is an object with `items`: `limit` or `after` was given. */
  readonly paged: boolean;
  /** Items to skip first; deprecated, on tasks only. */
  readonly offset: number | undefined;
}

export function readListQuery(kind: KindDefinition, query: Query): ListQuery {
  const namespace = query.namespaces();
  const [limit, after] = [query.integer('limit', LIST_LIMIT), query.text('after')];
  const [labels, fields] = [labelsOf(query), query.text('fieldSelector')];
  // The registry checks the orders of the kind, and whether it can be searched.
  const [order, search, view] = [query.text('sort'), query.text('q'), query.oneOf('view', ['full'])];
  const selection = { namespace, labels, fields: fields === undefined ? undefined : parseFieldSelector(fields) };
  const place = after === undefined ? undefined : parseCursor(after, namespace);
  const given = defined({ ...selection, order, search, nameContains: query.text('nameContains'), view, after: place });
  return {
    request: { kind: kind.kind, limit: limit ?? READ_PAGE, ...given },
    paged: limit !== undefined || after !== undefined,
    offset: query.integer('offset', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  };
}
