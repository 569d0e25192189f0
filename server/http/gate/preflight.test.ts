// Preflights of browsers: headers that pages of allowed origins may send and read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

const origin = 'https://console.example';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture({ corsOrigins: [origin] });
});
afterAll(() => http.close());

const preflight = async (asked: string) => {
  const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked };
  return (await http.send('OPTIONS', '/v1/agent-systems/sys/a2a', { headers })).headers;
};

test.each(['a2a-version,content-type', 'mcp-protocol-version, mcp-method', 'authorization,x-stainless-os'])(
  'a page of an allowed origin may send %s',
  async (asked) => {
    expect((await preflight(asked))['access-control-allow-headers']).toBe(asked);
  },
);

test('a preflight with a text that names no headers gets no list', async () => {
  expect(await preflight('a b; c')).not.toHaveProperty('access-control-allow-headers');
});

test('a page of an allowed origin reads the headers that clients need', async () => {
  const exposed = String((await preflight('authorization'))['access-control-expose-headers']);
  for (const name of ['ETag', 'Deprecation', 'X-Svc-Session']) expect(exposed).toContain(name);
});
