// The one way to read a stored object: its spec and status in the types of its kind, with every default filled in.
// Total: what does not fit the kind, of an older version or damaged by hand, is left out and reported, and the rest is read.
import { isObject } from '../json.ts';
import type { FieldError } from '../errors.ts';
import { fittingParts } from './check.ts';
import type { KindDefinition, RuleContext } from './define.ts';
import { kindByName, type KindName, type SpecOf, type StatusOf } from './index.ts';

/** An object as stored, or as the API shows it; only the parts that are read. */
export type ReadableSpec = { readonly spec: unknown } & (RuleContext | { readonly metadata: RuleContext });

export interface Reading<Value> {
  readonly value: Value;
  /** Values of a wrong type, which `value` lacks; empty unless somebody damaged the object. */
  readonly problems: readonly FieldError[];
}

/** By the stored value itself: an object that several readers share is read once. */
const specs = new WeakMap<object, Reading<unknown>>();
const statuses = new WeakMap<object, Reading<unknown>>();

/** The normalised spec of an object of kind `name`. */
export function specOf<Name extends KindName>(name: Name, object: ReadableSpec): SpecOf<Name> {
  return readSpec(name, object).value;
}

/** Typed spec, together with the values that do not fit its kind: for readers that refuse a damaged object. */
export function readSpec<Name extends KindName>(name: Name, object: ReadableSpec): Reading<SpecOf<Name>> {
  const kind = definitionOf(name);
  const { spec } = object;
  const read = () => {
    const { value, problems } = fittingParts(kind.spec, spec, {});
    return { value: kind.normalize(value, 'metadata' in object ? object.metadata : object) as unknown, problems };
  };
  return memoised(specs, spec, read) as Reading<SpecOf<Name>>;
}

/** The status of an object of kind `name`; one without a phase is in the first phase of the kind. */
export function statusOf<Name extends KindName>(name: Name, object: { readonly status: unknown }): StatusOf<Name> {
  return readStatus(name, object).value;
}

/** Typed status, together with the values that do not fit its kind. */
export function readStatus<Name extends KindName>(name: Name, { status }: { readonly status: unknown }): Reading<StatusOf<Name>> {
  const kind = definitionOf(name);
  const read = () => {
    const first = { phase: kind.initialPhase };
    return fittingParts(kind.status, isObject(status) && typeof status['phase'] !== 'string' ? { ...status, ...first } : status, first);
  };
  return memoised(statuses, status, read) as Reading<StatusOf<Name>>;
}

/** Marks a spec or status as already parsed (checked, or built from typed fields), so that readers do not check it again. */
export function asRead<Value extends object>(part: 'spec' | 'status', value: Value): Value {
  (part === 'spec' ? specs : statuses).set(value, { value, problems: [] });
  return value;
}

function definitionOf(name: KindName): KindDefinition {
  const kind = kindByName(name);
  if (!kind) throw new TypeError(`${name} is not a kind`);
  return kind;
}

function memoised(memory: WeakMap<object, Reading<unknown>>, stored: unknown, read: () => Reading<unknown>): Reading<unknown> {
  if (typeof stored !== 'object' || stored === null) return read();
  const known = memory.get(stored);
  if (known) return known;
  const fresh = read();
  memory.set(stored, fresh);
  // A reading is its own reading: a snapshot keeps it.
  if (isObject(fresh.value)) memory.set(fresh.value, { value: fresh.value, problems: [] });
  return fresh;
}
