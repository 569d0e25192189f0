// The one way to read an object in the console: its spec and status in the types of its kind. Values of a wrong type are left out, and
// defaults that a damaged or older object lacks are filled in. Uses the light table of kinds; the server reads by schema and rules.
import type { KindName, SpecOf, StatusOf } from '@svc/shared/kinds';
import { isObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { storedShapes } from 'virtual:kind-table';
import { kindNamed } from './kind-table.ts';
import { fittingParts, withDefaults, type Defaults, type StoredShape, type StoredShapes } from './stored-shape.ts';

export type TypedResource<Name extends KindName> = Resource<SpecOf<Name>, StatusOf<Name>> & { readonly kind: Name };

const shapes = storedShapes as Readonly<Record<string, StoredShapes>>;
const ANY: StoredShapes = { spec: 'any', status: 'any', defaults: {} };

/** By the value that the server sent: every reader gets the same value. */
const specs = new WeakMap<object, unknown>();
const statuses = new WeakMap<object, unknown>();
const resources = new WeakMap<object, unknown>();

/** The spec of an object of kind `name`. */
export function specOf<Name extends KindName>(name: Name, { spec }: { readonly spec: unknown }): SpecOf<Name> {
  const { spec: shape, defaults } = shapes[name] ?? ANY;
  return memoised(specs, spec, () => read(shape, spec, defaults)) as SpecOf<Name>;
}

/** The status of an object of kind `name`; one without a phase is in the first phase of the kind. */
export function statusOf<Name extends KindName>(name: Name, { status }: { readonly status: unknown }): StatusOf<Name> {
  const { status: shape } = shapes[name] ?? ANY;
  return memoised(statuses, status, () => read(shape, status, { phase: kindNamed(name)?.initialPhase })) as StatusOf<Name>;
}

/** The resource with typed spec and status; `resource` itself unless something is left out or filled in. */
export function asKind<Name extends KindName>(name: Name, resource: Resource): TypedResource<Name> {
  const spec: unknown = specOf(name, resource);
  const status: unknown = statusOf(name, resource);
  const isWhole = spec === resource.spec && status === resource.status;
  return memoised(resources, resource, () => (isWhole ? resource : { ...resource, spec, status })) as TypedResource<Name>;
}

function read(shape: StoredShape, stored: unknown, defaults: Defaults): unknown {
  const parts = fittingParts(shape, stored);
  return withDefaults(defaults, isObject(parts) ? parts : {});
}

function memoised(memory: WeakMap<object, unknown>, stored: unknown, make: () => unknown): unknown {
  if (typeof stored !== 'object' || stored === null) return make();
  if (!memory.has(stored)) memory.set(stored, make());
  return memory.get(stored);
}
