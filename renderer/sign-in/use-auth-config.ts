// Ways to sign in at this server, read while nobody is signed in or on the pages of accounts.
import { useQuery } from '@tanstack/react-query';
import { readAuthConfig } from './sign-in.ts';

export function useAuthConfig() {
  return useQuery({ queryKey: ['auth-config'], queryFn: readAuthConfig, staleTime: 0 });
}
