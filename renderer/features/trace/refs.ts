// Names as runs record them, as objects to link to. Pure.
import type { ObjectRef } from '../../app/addresses.ts';

/** `name` of the run's own namespace, or `namespace/name` of another. */
export function refOf(kind: string, text: string, namespace: string): ObjectRef {
  const slash = text.indexOf('/');
  return slash < 0 ? { kind, namespace, name: text } : { kind, namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
