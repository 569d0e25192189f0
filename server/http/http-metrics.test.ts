// Requests that the histogram has, and streams that it leaves out.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture({ maxWatchesPerIp: 1 });
});
afterAll(() => http.close());

const samples = async (route: string) => {
  const { text } = await http.send('GET', '/metrics');
  return text.split('\n').filter((line) => line.startsWith('svc_http_request_duration_seconds_count') && line.includes(`route="${route}"`));
};

test('counts whole lists, and refused streams by their status; a stream that was open is left out', async () => {
  expect((await http.send('GET', '/v1/agents')).status).toBe(200);
  const open = new AbortController();
  await fetch(`${http.url}/v1/agents/watch`, { signal: open.signal });
  expect((await http.send('GET', '/v1/agents/watch')).status).toBe(429);
  open.abort();
  const count = (route: string, status: number) =>
    `svc_http_request_duration_seconds_count{method="GET",route="${route}",status="${status}"} 1`;
  expect(await samples('/v1/agents')).toEqual([count('/v1/agents', 200)]);
  expect(await samples('/v1/agents/watch')).toEqual([count('/v1/agents/watch', 429)]);
});

test('counts a client that left before its answer as 499', async () => {
  const { hostname, port } = new URL(http.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /v1/tools HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
  );
  // The server waits for the body.
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await expect
    .poll(() => samples('/v1/tools'))
    .toEqual(['svc_http_request_duration_seconds_count{method="POST",route="/v1/tools",status="499"} 1']);
});
