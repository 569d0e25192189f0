// Names in the records of runs, as objects to link to. Pure.
import { parseRef } from '@svc/shared/resource';
import type { ObjectRef } from '../../../navigation/addresses.ts';

/** `name` of the run's own namespace, or `namespace/name` of another. */
export function refOf(kind: string, text: string, namespace: string): ObjectRef {
  return { kind, ...parseRef(text, namespace) };
}
