// The console behind a proxy that publishes the server under a path prefix, with and without removing the prefix.
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createWorld, type World } from '../world/world.ts';
import { browserOnly, expect, test } from './fixtures.ts';

browserOnly('The app shows its server under no prefix.');

const PREFIX = '/tools/svc';
const TOKEN = 'a-token-of-an-administrator';

interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Publishes a server below the prefix; any other path is answered with 404, as by another site on the host. */
async function startProxy(target: string, { removesPrefix }: { readonly removesPrefix: boolean }): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const pathOf = ({ url = '/' }: IncomingMessage) => (removesPrefix ? url.slice(PREFIX.length) || '/' : url);
  const server: Server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(PREFIX)) return void outgoing.writeHead(404).end('another site');
    const { method, headers } = incoming;
    const forwarded = ask({ hostname, port, path: pathOf(incoming), ...(method && { method }), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (incoming, client: Socket, head: Buffer) => {
    if (!incoming.url?.startsWith(PREFIX)) return client.destroy();
    const upstream = connect(Number(port), hostname, () => {
      const lines = Array.from({ length: incoming.rawHeaders.length / 2 }, (_, n) =>
        incoming.rawHeaders.slice(2 * n, 2 * n + 2).join(': '),
      );
      upstream.write(`GET ${pathOf(incoming)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

let world: World;
test.beforeAll(async () => {
  world = await createWorld({ args: ['--base-path', PREFIX], env: { SVC_API_TOKEN: TOKEN }, token: TOKEN });
});
test.afterAll(() => world?.dispose());

for (const removesPrefix of [false, true]) {
  test(`the console works behind a proxy that ${removesPrefix ? 'removes' : 'keeps'} the path prefix`, async ({ page, signals }) => {
    signals.allow(/401/);
    const proxy = await startProxy(world.url, { removesPrefix });
    const { origin } = new URL(proxy.url);
    const outside: string[] = [];
    const note = (url: string) => {
      const { pathname, protocol } = new URL(url);
      if (/^(http|ws)/.test(protocol) && !`${pathname}/`.startsWith(`${PREFIX}/`)) outside.push(url);
    };
    page.on('request', (request) => note(request.url()));
    page.on('websocket', (socket) => note(socket.url()));
    try {
      await page.goto(`${proxy.url}/n/default/agents`);
      await expect(page.getByText(`You return to /n/default/agents after signing in.`)).toBeVisible();
      await page.getByLabel('API token').fill(TOKEN);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('heading', { name: 'Agents', level: 1 })).toBeVisible();
      const cookies = await page.context().cookies();
      expect(cookies.map(({ name, path }) => [name, path])).toEqual([['svc_session', PREFIX]]);

      const name = `live-${removesPrefix}`;
      await world.call('POST', '/v1/agents', { metadata: { name }, spec: { model_ref: 'mock', prompt: 'Answer.' } });
      const link = page.getByRole('link', { name, exact: true });
      await expect(link).toHaveAttribute('href', `${PREFIX}/n/default/agents/${name}`);
      await link.click();
      await expect(page).toHaveURL(`${proxy.url}/n/default/agents/${name}`);
      await page.getByRole('tab', { name: 'YAML' }).click();
      await expect(page.getByRole('textbox', { name: /YAML/ })).toContainText(name);
      await page.screenshot({ path: test.info().outputPath('below-a-prefix.png') });
      await page.reload();
      await expect(page.getByRole('textbox', { name: /YAML/ })).toContainText(name);

      await page.goto(proxy.url);
      await expect(page).toHaveURL(`${proxy.url}/n/default/dashboard`);
      await page.getByRole('link', { name: 'Systems', exact: true }).click();
      await expect(page.getByRole('heading', { name: 'Systems', level: 1 })).toBeVisible();
      await page.goBack();
      await expect(page).toHaveURL(`${proxy.url}/n/default/dashboard`);
      const docs = await page.request.get(`${proxy.url}/docs`);
      expect(docs.status()).toBe(200);
      expect(outside).toEqual([]);
      expect(new URL(page.url()).origin).toBe(origin);
    } finally {
      await page.close();
      await proxy.close();
    }
  });
}
