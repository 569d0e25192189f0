// Checks before a port is opened to the network: every client an admin, or a token that can be guessed.
import { ServiceError } from '@svc/shared/errors';
import { isLoopback, type ListenAddress } from '../config/flag-values.ts';

/** Without tokens everybody who reaches the port is an admin, so the port must be reachable from this machine only. */
export function requireSafeAddress(address: ListenAddress, options: { authEnabled: boolean; allowUnauthenticated: boolean }): void {
  if (isLoopback(address) || options.authEnabled || options.allowUnauthenticated) return;
  throw new ServiceError(
    'invalid',
    `--addr ${address.host} is reachable from other machines but no API token is set: set SVC_API_TOKEN, listen on 127.0.0.1, or pass --allow-unauthenticated`,
  );
}

/** The warnings about short tokens, on loopback or where no token at all would do. Elsewhere the first short token refuses the start. */
export function requireLongTokens(
  address: ListenAddress,
  { problems, allowUnauthenticated }: { problems: readonly string[]; allowUnauthenticated: boolean },
): readonly string[] {
  const [first] = problems;
  if (first === undefined || allowUnauthenticated || isLoopback(address)) return problems;
  throw new ServiceError('invalid', `${first}, and --addr ${address.host} is reachable from other machines`);
}
