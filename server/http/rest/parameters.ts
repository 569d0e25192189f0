// Query parameters and headers that several routes share, described once.
import { SEARCH_CHARS_MAX } from '@svc/shared/search-text';
import type { Call, Parameter } from '../route.ts';
import * as types from '../text-types.ts';

/** Object of a path with `{name}` and `namespaceParameter`. */
export const objectOf = (call: Call) => ({ namespace: call.query.namespace(), name: call.params['name'] ?? '' });

const text = (name: string, type: types.TextType, description: string): Parameter => ({ name, description, ...type });
const flag = (name: string, description: string): Parameter => ({ name, description, schema: { type: 'boolean', default: false } });

export const LIST_LIMIT = { min: 1, max: 1000 };

interface IntegerSchema {
  readonly min: number;
  readonly max?: number;
  readonly default?: number;
}

export const integer = (name: string, description: string, { min, max, ...rest }: IntegerSchema): Parameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: min, ...(max !== undefined && { maximum: max }), ...rest },
});

const inDefault = ({ schema, ...rest }: Parameter): Parameter => ({ ...rest, schema: { ...schema, default: 'default' } });
export const namespaceParameter = inDefault(text('namespace', types.namespaceName, 'The namespace.'));
export const namespacesParameter = inDefault(text('namespace', types.namespaceChoice, 'The namespace, or `*` for all of them.'));
export const namespaceFilter = text('namespace', types.namespaceChoice, 'Only this namespace; absent or `*`: all of them.');
export const nameFilter = text('name', types.objectName, 'Only the object of this name.');
export const limitParameter = integer(
  'limit',
  'Items of a page. With it, or with `after`, the answer is an object with `items` and `continue`.',
  LIST_LIMIT,
);
export const afterParameter = text('after', types.pageCursor, 'Where the page begins: the `continue` of the one before.');
export const labelSelectorParameter = text(
  'labelSelector',
  types.selector,
  'Comma-separated requirements, all of which must hold: `key=value`, `key!=value`, `key`, `!key`, `key in (a,b)`, `key notin (a,b)`.',
);
export const eventSortParameter: Parameter = {
  name: 'sort',
  description: 'Oldest or newest first; default is oldest first.',
  schema: { type: 'string', enum: ['createdAt', '-createdAt'] },
};
/** Orders of a list of a kind. */
export const sortParameter = (names: readonly string[]): Parameter => ({
  name: 'sort',
  description:
    'Order of the list; a minus reverses it. Default is by namespace and name. Objects without a value come first, with a minus last.',
  schema: { type: 'string', enum: [...names] },
});
export const searchParameter = text(
  'q',
  types.plainText(SEARCH_CHARS_MAX),
  'Only objects whose name, input, output or error has all of these words; the last one may be the beginning of a word. Newest first.',
);
export const nameContainsParameter = text(
  'nameContains',
  types.plainText(253),
  'Only objects whose names contain this text, in any case. Sorted by name or time of creation; a page that searched many names may hold few objects and still have a `continue`.',
);
export const viewParameter: Parameter = {
  name: 'view',
  description: '`full` keeps in the status fields that lists leave out for their size.',
  schema: { type: 'string', enum: ['full'] },
};
export const offsetParameter: Parameter = { ...integer('offset', 'Items to skip. Use `after`.', { min: 0 }), deprecated: true };
export const dryRunParameter = flag('dryRun', 'Validates and answers the would-be result; writes nothing.');
export const fieldValidationParameter: Parameter = {
  name: 'fieldValidation',
  description:
    'What happens to fields the kind does not have, and to unknown query parameters: `Warn` drops and names them in `Warning` headers, `Strict` refuses, `Ignore` drops.',
  schema: { type: 'string', enum: ['Strict', 'Warn', 'Ignore'], default: 'Warn' },
};
export const resourceVersionParameter = text('resourceVersion', types.versionNumber, 'Acts only on this version; any other is 409.');
export const uidParameter = text(
  'uid',
  types.identifier,
  'Acts only on the object of this `metadata.uid`; a different object of that name is 409.',
);
export const sinceParameter = integer('since', 'Sequence number to continue after; `Last-Event-ID` takes precedence.', { min: 0 });
export const typeFilter = text(
  'type',
  types.eventTypes,
  'Only events of this type, such as `task.claimed`, or of several: `task.claimed,task.succeeded`.',
);
export const heartbeatsFilter: Parameter = {
  name: 'heartbeats',
  description: '`false` leaves out the updates of Workers, of which each heartbeat is one; their states are events of their own.',
  schema: { type: 'boolean', default: true },
};
export const kindFilter = text('kind', types.identifier, 'Only events about objects of this kind.');
export const uidFilter = text(
  'uid',
  types.identifier,
  'Leaves out events of earlier objects of the same name: the `metadata.uid` of the object. Needs `kind`, `namespace` and `name`.',
);
export const pruneParameter = flag(
  'prune',
  'Deletes objects that match `labelSelector` and that the documents do not name, in the namespaces of the request and of the documents.',
);
export const textFilter = text;

export const ifMatchHeader = text(
  'If-Match',
  types.plainText(64),
  "The version the write is based on; bare, quoted or `W/` form. Wins over the body's `metadata.resourceVersion`.",
);
export const ifNoneMatchHeader = text(
  'If-None-Match',
  types.plainText(64),
  '`*` makes the request create-only: 409 when the object exists.',
);
export const lastEventIdHeader = text(
  'Last-Event-ID',
  types.pageCursor,
  'The id of the last event received; the stream continues after it.',
);
