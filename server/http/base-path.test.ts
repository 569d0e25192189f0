import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';

async function start(): Promise<HttpFixture> {
  const http = await startHttpFixture({ basePath: '/tools/svc' });
  onTestFinished(() => http.close());
  return http;
}

test.each(['/tools/svc/v1/agents', '/v1/agents'])('%s reaches the API', async (path) => {
  const http = await start();
  expect(await http.send('GET', path)).toMatchObject({ status: 200, body: [] });
});

test.each(['/tools/svcx/v1/agents', '/tools/v1/agents', '/tools/svc//v1/agents', '/TOOLS/svc/v1/agents'])(
  '%s is not found',
  async (path) => {
    const http = await start();
    const answer = await fetch(`${http.url}${path}`);
    // svcctl recognises a wrong address by the header.
    expect([answer.status, answer.headers.get('link')]).toEqual([404, '</tools/svc/openapi.json>; rel="service-desc"']);
  },
);

test.each(['/tools/svc/trpc', '/trpc'])('a WebSocket opens at %s', async (path) => {
  const http = await start();
  const socket = new WebSocket(`${http.url.replace('http', 'ws')}${path}`, { headers: { origin: http.url } });
  await once(socket, 'open');
  socket.close();
  await once(socket, 'close');
});

test('tRPC answers below the prefix', async () => {
  const http = await start();
  expect(await http.send('GET', '/tools/svc/trpc/server.namespaces')).toMatchObject({ status: 200 });
});

test('the API description names the prefix as the place of the API', async () => {
  const http = await start();
  expect(await http.send('GET', '/openapi.json')).toMatchObject({ status: 200, body: { servers: [{ url: '/tools/svc' }] } });
});
