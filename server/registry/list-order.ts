// Orders of a kind's lists by their public names, and the cursors that belong to them. Pure.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { sortNames, type KindDefinition } from '@svc/shared/kinds/define';
import type { KeyOrder, ListOrder, ValueOrder } from '../store/list-order.ts';
import type { StoredObject } from '../store/store.ts';
import { fieldValue } from '../store/terms.ts';
import { formatCursor, formatValueCursor, type PageCursor } from './cursor.ts';

/** Order of a list by its public name. Throws `invalid` for a name that the kind does not have. */
export function orderOf(definition: KindDefinition, name: string): ListOrder {
  if (!sortNames(definition).includes(name)) throw unknownOrder(definition);
  const path = name.replace(/^-/, '');
  const descending = name.startsWith('-');
  const { sorts } = definition;
  const field = Object.hasOwn(sorts.fields, path) ? sorts.fields[path] : undefined;
  if (field !== undefined) return { by: 'field', path: field, descending };
  return sorts.values.includes(path) ? { by: 'sortValue', path, descending } : (name as KeyOrder);
}

function unknownOrder(definition: KindDefinition): ServiceError {
  const names = sortNames(definition).filter((name) => !name.startsWith('-'));
  const message = `must be one of ${names.join(', ')}, each also with "-" before it for the reverse order`;
  return invalidFields('The request', [{ path: 'sort', message }]);
}

/** Throws `invalid` for a cursor of a list in another order, where it has no place in this one. */
export function assertCursorOf(name: string, order: ListOrder, after: PageCursor | undefined): void {
  const wanted = typeof order === 'string' ? undefined : name;
  if (after?.search !== undefined)
    throw new ServiceError('invalid', 'after: the cursor is of a search; repeat its q, or start the list again');
  if (!after || after.order === wanted) return;
  const made = after.order === undefined ? 'without this sort' : `with sort=${after.order}`;
  throw new ServiceError(
    'invalid',
    `after: the cursor is of a list ${made}; repeat the sort of the page it came from, or start the list again`,
  );
}

/** Cursor behind the last object of a page. */
export function cursorAfter(definition: KindDefinition, last: StoredObject, name: string): string {
  const order = orderOf(definition, name);
  return typeof order === 'string' ? formatCursor(last, name) : formatValueCursor(last, name, valueOf(definition, last, order));
}

/** As the index of the store has it. */
function valueOf({ sorts }: KindDefinition, object: StoredObject, { by, path }: ValueOrder): string {
  return (by === 'field' ? fieldValue(object, path) : sorts.valuesOf(object)?.[path]) ?? '';
}
