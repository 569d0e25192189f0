import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';

let http: HttpFixture | undefined;
afterEach(() => http?.close());

test('a CONNECT that is reset at once leaves the server running', async () => {
  http = await startHttpFixture();
  const { hostname, port } = new URL(http.url);
  for (let count = 0; count < 5; count += 1) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 2));
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  expect((await http.send('GET', '/healthz')).status).toBe(200);
});
