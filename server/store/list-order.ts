// Orders of lists, and places in them.

/** By key or by time of creation; with a minus the exact mirror of the order without it. */
export type KeyOrder = 'name' | '-name' | 'createdAt' | '-createdAt';

/**
 * By an indexed field that every object of the kind has, the objects of one value newest first; or by a sort value, equal ones by key.
 * Objects whose sort values are not known yet are below all others.
 */
export interface ValueOrder {
  readonly by: 'field' | 'sortValue';
  /** The field's path, or the name of the sort value. */
  readonly path: string;
  readonly descending: boolean;
}

export type ListOrder = KeyOrder | ValueOrder;

/** Where a page begins: strictly after this item in the chosen order. */
export interface ListCursor {
  readonly namespace: string;
  readonly name: string;
  /** Needed for the createdAt orders and for orders by a field; for the former looked up by the key when absent. */
  readonly createdAt?: string;
  /** Needed for a ValueOrder: the item's value, empty for an object without sort values. */
  readonly value?: string;
}
