// Whether this server offers terminals to this person.
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';
import { PROFILE_ID } from '../../../native/profile.ts';
import { useHello } from '../../../sign-in/use-hello.ts';

export function useTerminalsOffered(): boolean {
  // Terminals are shells of this machine: the page of another server offers none.
  const isAdmin = useHello()?.identity.role === 'admin' && PROFILE_ID === undefined;
  const { data } = useQuery(api.server.capabilities.queryOptions(undefined, { enabled: isAdmin, staleTime: Number.POSITIVE_INFINITY }));
  return isAdmin && data?.some(({ id, enabled }) => id === 'terminal' && enabled) === true;
}
