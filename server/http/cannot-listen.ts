// Says in one sentence why an address cannot be bound.
import { ServiceError } from '@svc/shared/errors';

const BIND_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it or choose another port',
  EACCES: 'this user may not listen there; choose a port above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'that host name does not resolve',
};

/** `error` is what the bind failed with. */
export function cannotListen({ host, port }: { host: string; port: number }, error: unknown): ServiceError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return new ServiceError('unavailable', `cannot listen on --addr ${host}:${port}: ${BIND_PROBLEMS[code] ?? code}`, { cause: error });
}
