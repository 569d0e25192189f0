// Refuses to open a port to the network that would make everybody an admin.
import { ServiceError } from '@svc/shared/errors';
import { isLoopback, type ListenAddress } from '../config/flag-values.ts';

/** Without tokens everybody who reaches the port is an admin, so the port must be reachable from this machine only. Source: DECISIONS section 1 "Safe default". */
export function requireSafeAddress(address: ListenAddress, options: { authEnabled: boolean; allowUnauthenticated: boolean }): void {
  if (isLoopback(address) || options.authEnabled || options.allowUnauthenticated) return;
  throw new ServiceError(
    'invalid',
    `--addr ${address.host} is reachable from other machines but no API token is set: set SVC_API_TOKEN, listen on 127.0.0.1, or pass --allow-unauthenticated`,
  );
}
