// Turns the reference fields of a spec into references. Pure; independent of any kind.
import { parseRef } from '../resource.ts';
import type { Reference, RuleContext } from './define.ts';

/** The field that holds references, and the kind it refers to. */
export interface RefField {
  readonly kind: string;
  readonly path: string;
}

/** The reference a field holds, none when it is absent or blank. */
export function refTo(field: RefField, ref: string | undefined, context: RuleContext): Reference[] {
  return ref === undefined || ref === '' ? [] : [{ kind: field.kind, path: field.path, ...parseRef(ref, context.namespace) }];
}

/** The references a list field holds, with the entry's index in each path. */
export function refsTo(field: RefField, refs: readonly string[] | undefined, context: RuleContext): Reference[] {
  return (refs ?? []).flatMap((ref, index) => refTo({ kind: field.kind, path: `${field.path}[${index}]` }, ref, context));
}
