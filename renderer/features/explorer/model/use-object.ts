// One object as the server has it, followed live, and its last known state after a deletion.
import type { Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';

export type ObjectState =
  | { readonly state: 'loading' }
  | { readonly state: 'there'; readonly resource: Resource }
  /** The object was deleted while it was open: its last known state stays. */
  | { readonly state: 'deleted'; readonly resource: Resource }
  | { readonly state: 'missing' }
  | { readonly state: 'failed'; readonly error: unknown; readonly retry: () => void };

/** `brief` leaves out the long records of its status. */
export function useObject({ kind, namespace, name }: ObjectRef, { brief = false }: { readonly brief?: boolean } = {}): ObjectState {
  const { data, error, refetch } = useQuery(api.resources.get.queryOptions({ kind, namespace, name, ...(brief && { brief }) }));
  const gone = error !== null && problemOf(error).code === 'not_found';
  if (data) return { state: gone ? 'deleted' : 'there', resource: data };
  if (gone) return { state: 'missing' };
  if (error !== null) return { state: 'failed', error, retry: () => void refetch() };
  return { state: 'loading' };
}
