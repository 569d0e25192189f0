// List cursors as text: `namespace/name`, and `namespace/name@createdAt` for the createdAt orders. Pure.
import { ServiceError } from '@svc/shared/errors';
import { nameProblem, namespaceProblem } from '@svc/shared/resource';
import type { ListCursor, ListOrder, StoredObject } from '../store/store.ts';

const TIMESTAMP_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The cursor after `last` in the given order. */
export function formatCursor(last: StoredObject, order: ListOrder): string {
  const plain = `${last.namespace}/${last.name}`;
  return order === 'name' ? plain : `${plain}@${last.createdAt}`;
}

/** Reads a cursor; a bare name belongs to `namespace` (undefined: the list spans all, and a bare name says too little). Throws `invalid`. */
export function parseCursor(text: string, namespace: string | undefined): ListCursor {
  const [position = '', createdAt, ...rest] = text.split('@');
  const slash = position.indexOf('/');
  const name = position.slice(slash + 1);
  const home = slash < 0 ? namespace : position.slice(0, slash);
  const valid = home !== undefined && !namespaceProblem(home) && !nameProblem(name) && !rest.length;
  if (!valid || (createdAt !== undefined && !TIMESTAMP_PATTERN.test(createdAt))) {
    throw new ServiceError(
      'invalid',
      `"${text.slice(0, 100)}" is no valid cursor: after takes the "continue" value of the previous page, namespace/name`,
    );
  }
  return { namespace: home, name, ...(createdAt !== undefined && { createdAt }) };
}
