// Limits of open connections, of this process and of one client address. A dropped connection gets no answer, so the log reports it.
import type { Server } from 'node:http';
import type { DropArgument } from 'node:net';
import type { Logger } from '../log/log.ts';
import { AddressCounts } from './gate/address-counts.ts';
import { isTrusted, parseTrustedProxies, type Range } from './gate/client-address.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Undefined: a quarter of `maxConnections`, without a limit from this machine. */
  readonly maxConnectionsPerIp: number | undefined;
  /** Forward connections of many clients, and have no limit of their own. */
  readonly proxies: readonly Range[];
}

const LOOPBACK = parseTrustedProxies(['127.0.0.0/8', '::1/128']);
const REPORT_MS = 60_000;

/** To be called once, before the server listens. A peer without an address has no limit of its own. */
export function limitConnections(server: Server, { maxConnections, maxConnectionsPerIp, proxies }: ConnectionLimits, log: Logger): void {
  const maxOfAll = createReport(log, 'connections are dropped: the process holds its maximum (--max-connections)');
  const maxOfOne = createReport(log, 'connections are dropped: a client address holds its maximum (--max-connections-per-ip)');
  server.maxConnections = maxConnections;
  server.on('drop', (dropped?: DropArgument) => maxOfAll({ max: maxConnections, address: dropped?.remoteAddress }));

  const max = maxConnectionsPerIp ?? Math.ceil(maxConnections / 4);
  const unlimited = maxConnectionsPerIp === undefined ? [...proxies, ...LOOPBACK] : proxies;
  const held = new AddressCounts();
  server.on('connection', (socket) => {
    const { remoteAddress: address } = socket;
    if (address === undefined || isTrusted(address, unlimited)) return;
    held.note(address, 1);
    socket.once('close', () => held.note(address, -1));
    if (held.of(address) <= max) return;
    socket.destroy();
    maxOfOne({ max, address });
  });
}

/** Logs at most once a minute, with the number of drops since the last line. */
function createReport(log: Logger, message: string): (fields: { readonly max: number; readonly address: string | undefined }) => void {
  let dropped = 0;
  let reportedAt = -Infinity;
  return (fields) => {
    dropped += 1;
    const now = performance.now();
    if (now - reportedAt < REPORT_MS) return;
    log.warn({ ...fields, dropped }, message);
    reportedAt = now;
    dropped = 0;
  };
}
