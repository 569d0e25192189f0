// Query parameters and headers that several routes share, described once.
import type { Parameter } from '../route.ts';

const text = (name: string, description: string): Parameter => ({ name, description, schema: { type: 'string' } });
const flag = (name: string, description: string): Parameter => ({ name, description, schema: { type: 'boolean', default: false } });

export const LIST_LIMIT = { min: 1, max: 1000 };
const integer = (name: string, description: string, bounds: { min: number; max?: number }): Parameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: bounds.min, ...(bounds.max !== undefined && { maximum: bounds.max }) },
});

export const namespaceParameter: Parameter = {
  name: 'namespace',
  description: 'The namespace.',
  schema: { type: 'string', default: 'default', pattern: '^[a-z0-9-]{1,63}$' },
};
export const namespacesParameter: Parameter = {
  name: 'namespace',
  description: 'The namespace, or `*` for all of them.',
  schema: { type: 'string', default: 'default' },
};
export const namespaceFilter = text('namespace', 'Only this namespace; absent or `*`: all of them.');
export const nameFilter = text('name', 'Only the object of this name.');
export const limitParameter = integer(
  'limit',
  'Items of a page. With it, or with `after`, the answer is an object with `items` and `continue`.',
  LIST_LIMIT,
);
export const afterParameter = text('after', 'Where the page begins: the `continue` of the one before.');
export const labelSelectorParameter = text(
  'labelSelector',
  'Comma-separated requirements, all of which must hold: `key=value`, `key!=value`, `key`, `!key`, `key in (a,b)`, `key notin (a,b)`.',
);
export const sortParameter: Parameter = {
  name: 'sort',
  description: 'Oldest or newest first; default is by namespace and name.',
  schema: { type: 'string', enum: ['createdAt', '-createdAt'] },
};
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
    'What happens to fields the kind does not have: `Warn` drops and names them in `Warning` headers, `Strict` refuses, `Ignore` drops.',
  schema: { type: 'string', enum: ['Strict', 'Warn', 'Ignore'], default: 'Warn' },
};
export const resourceVersionParameter = text('resourceVersion', 'Acts only on this version; another one is 409.');
export const uidParameter = text('uid', 'Acts only on the object of this `metadata.uid`; another one of that name is 409.');
export const sinceParameter = integer('since', 'Sequence number after which to go on; `Last-Event-ID` wins over it.', { min: 0 });
export const typeFilter = text('type', 'Only events of this type, such as `task.claimed`.');
export const kindFilter = text('kind', 'Only events about objects of this kind.');
export const pruneParameter = flag('prune', 'Deletes objects that match `labelSelector` and that the documents do not name.');
export const textFilter = text;

export const ifMatchHeader = text(
  'If-Match',
  "The version the write is based on; bare, quoted or `W/` form. Wins over the body's `metadata.resourceVersion`.",
);
export const ifNoneMatchHeader = text('If-None-Match', '`*` makes the request create-only: 409 when the object exists.');
export const lastEventIdHeader = text('Last-Event-ID', 'The id of the last event received; the stream goes on after it.');
