// Binds a server to an address, or says in one sentence why it cannot.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceError } from '@svc/shared/errors';

interface Address {
  readonly host: string;
  readonly port: number;
}

const BIND_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it or choose another port',
  EACCES: 'this user may not listen there; choose a port above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'that host name does not resolve',
};

/** Ports that browsers refuse to connect to (Fetch standard, "bad port"), of those that a system hands out or a person may choose. */
const REFUSED_BY_BROWSERS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6679, 6697, 10080,
]);
const isRefused = (port: number): boolean => REFUSED_BY_BROWSERS.has(port) || (port >= 6665 && port <= 6669);

/** Free ports that one start tries. */
const FREE_PORT_TRIES = 5;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

function cannotListen({ host, port }: Address, error: unknown): ServiceError {
  const code = codeOf(error);
  return new ServiceError('unavailable', `cannot listen on --addr ${host}:${port}: ${BIND_PROBLEMS[code] ?? code}`, { cause: error });
}

/** Resolves once connections are accepted; rejects with `unavailable` when the address cannot be bound. */
export async function listenOn(server: Server, address: Address): Promise<void> {
  server.listen(address.port, address.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw cannotListen(address, error);
  });
}

/** The same, on a free port where the port of the address is taken. A port that browsers refuse is never kept. */
export async function listenOrFree(server: Server, { host, port }: Address): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const asked = attempt === 0 && !isRefused(port) ? port : 0;
    const taken = await listenOn(server, { host, port: asked }).then(
      () => isRefused((server.address() as AddressInfo).port),
      (error: unknown) => {
        if (asked === 0) throw error;
        return true;
      },
    );
    if (!taken) return;
    if (attempt === FREE_PORT_TRIES) throw new ServiceError('unavailable', `no port of ${host} is free that browsers accept`);
    if (!server.listening) continue;
    const closed = once(server, 'close');
    server.close();
    await closed;
  }
}
