// An HTTP proxy on loopback that only tunnels (CONNECT), and resolves every host name to a port of this machine.
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly host: string;
  /** Targets of the requests, and requests that are no CONNECT by their method. */
  readonly seen: readonly string[];
  readonly close: () => Promise<void>;
}

export interface ConnectProxyOptions {
  /** Port on loopback that every tunnel leads to. */
  readonly port?: number;
  /** `user:password` that it demands. */
  readonly credentials?: string;
  /** Status that it answers in place of a tunnel; 0 closes the connection. */
  readonly refusal?: number;
}

export async function startConnectProxy({ port = 0, credentials, refusal }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const proxy = createServer((request, response) => {
    seen.push(String(request.method));
    response.writeHead(405).end();
  });
  proxy.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  proxy.on('connect', (request, client: Socket) => {
    seen.push(String(request.url));
    const status = refusal ?? (wanted === request.headers['proxy-authorization'] ? 200 : 407);
    if (status === 0) return void client.destroy();
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const server = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(server).pipe(client);
    });
    sockets.add(server.on('error', () => client.destroy()));
    client.on('close', () => server.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
