// The proxy of the environment: which requests use it, tunnels through a real one, and its failures.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConnectProxy, type ConnectProxyOptions } from '../../testing/connect-proxy.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import { createApiClient } from './client.ts';
import { proxyFor, type Environment } from './proxy.ts';

const PROXIES = { HTTPS_PROXY: 'http://secure.test:3128', HTTP_PROXY: 'plain.test:8080' };
const used = (server: string, env: Environment) => {
  const { url, variable } = proxyFor(new URL(server), env) ?? {};
  return url && `${variable} ${url.host}`;
};

describe('proxyFor', () => {
  it.each([
    ['https://agents.test', PROXIES, 'HTTPS_PROXY secure.test:3128'],
    ['http://agents.test', PROXIES, 'HTTP_PROXY plain.test:8080'],
    ['http://agents.test', { HTTPS_PROXY: 'http://secure.test' }, undefined],
    ['https://agents.test', { HTTP_PROXY: 'http://plain.test' }, undefined],
    ['https://agents.test', { ...PROXIES, https_proxy: 'https://lower.test' }, 'https_proxy lower.test'],
    ['https://agents.test', { ...PROXIES, https_proxy: '' }, 'HTTPS_PROXY secure.test:3128'],
    ['https://agents.test', {}, undefined],
  ])('for %s takes from %o: %s', (server, env, proxy) => {
    expect(used(server, env)).toBe(proxy);
  });

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', 'svc.localhost', '0x7f.1'])(
    'needs none for the loopback address %s',
    (host) => {
      expect(used(`http://${host}:8080`, PROXIES)).toBeUndefined();
    },
  );

  it.each([
    ['agents.test', 'agents.test', true],
    ['agents.test', 'other.test, agents.test', true],
    ['agents.test', 'other.test agents.test', true],
    ['eu.agents.test', 'agents.test', true],
    ['eu.agents.test', '.agents.test', true],
    ['eu.agents.test', '*.AGENTS.test', true],
    ['myagents.test', 'agents.test', false],
    ['agents.test', 'eu.agents.test', false],
    ['agents.test', '*', true],
    ['agents.test', 'other.test,*', true],
    ['agents.test:8443', 'agents.test:8443', true],
    ['agents.test:8443', 'agents.test:443', false],
    ['agents.test', 'agents.test:443', true],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.0/24', true],
    ['192.0.3.7', '192.0.2.0/24', false],
    ['192.0.2.7', '192.0.2.0/240', false],
    ['[fd00::7]', 'fd00::/8', true],
    ['[fd00::7]:8443', '[fd00::7]:8443', true],
    ['[fd00::7]', 'fd00::7', true],
    ['agents.test', ',', false],
  ])('for %s with NO_PROXY %s: none is %s', (host, noProxy, isDirect) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      expect(used(`https://${host}`, { ...PROXIES, [name]: noProxy }) === undefined).toBe(isDirect);
    }
  });

  it.each(['socks5://user:s3cret@proxy.test', 'http://user:s3cret@:1', 'user:s3cret@proxy.test:port'])(
    'refuses %s without repeating it',
    (value) => {
      const resolve = () => proxyFor(new URL('https://agents.test'), { HTTPS_PROXY: value });
      expect(resolve).toThrow('HTTPS_PROXY does not name an http or https proxy');
      expect(resolve).not.toThrow('s3cret');
    },
  );
});

const TOKEN = { value: 't0ken', from: '--token' };

async function setup(proxyOptions: ConnectProxyOptions = {}, user = '') {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/stream')) response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([request.headers.host, request.url]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = await startConnectProxy({ port: (server.address() as AddressInfo).port, ...proxyOptions });
  const env = { http_proxy: `http://${user}${proxy.host}` };
  const client = createApiClient({ server: 'http://agents.test:81', token: undefined, env });
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { client, proxy, env };
}

const failure = (promise: Promise<unknown>): Promise<CliError> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error as CliError,
  );

describe('a client behind a proxy', () => {
  it('sends requests beside an open stream, each through a tunnel', async () => {
    const { client, proxy } = await setup({ credentials: 'a b:p@ss' }, 'a%20b:p%40ss@');
    const stream = client.stream({ path: '/stream' });
    expect((await stream.next()).value).toMatchObject({ data: 'one' });
    expect((await client.send({ method: 'GET', path: '/one' })).body).toEqual(['agents.test:81', '/one?fieldValidation=Strict']);
    await stream.return();
    expect(proxy.seen).toEqual(['agents.test:81', 'agents.test:81']);
  });

  it('refuses to send a token through it without TLS', async () => {
    const { proxy, env } = await setup();
    const create = () => createApiClient({ server: 'http://agents.test:81', token: TOKEN, env });
    expect(create).toThrow(`the token for http://agents.test:81 would pass the proxy ${proxy.host} (http_proxy) in clear`);
    expect(proxy.seen).toEqual([]);
  });

  it.each([
    [{ refusal: 403 }, 'does not permit connections to agents.test:81: it answered 403'],
    [{ credentials: 'me:right' }, 'requires valid credentials for connections to agents.test:81: it answered 407'],
    [{ refusal: 502 }, 'could not connect to agents.test:81: it answered 502'],
    [{ refusal: 0 }, 'it closed the connection'],
  ])('names the proxy and its variable where it fails: %o', async (options, problem) => {
    const { client, proxy } = await setup(options, 'me:s3cret@');
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({
      exitCode: EXIT.unreachable,
      hint: 'check http_proxy, or add agents.test to NO_PROXY to connect without the proxy',
    });
    expect(error.message).toContain(`the proxy ${proxy.host} (http_proxy)`);
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('s3cret');
  });

  it('names a proxy that cannot be reached', async () => {
    const { client, proxy } = await setup({}, 'me:s3cret@');
    await proxy.close();
    expect((await failure(client.send({ method: 'GET', path: '/' }))).message).toBe(
      `cannot connect to the proxy ${proxy.host} (http_proxy): connection refused`,
    );
  });
});
