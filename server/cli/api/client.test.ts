// The HTTP client against a real socket: bodies, error mapping, hints, streams.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, createApiClient, type ApiClient } from './client.ts';
import { hintText } from '../program/program-name.ts';
import { createTestAuthority, withoutOpenssl } from '../../testing/test-certificates.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import type { ApiToken } from '../program/settings.ts';

const TOKEN: ApiToken = { value: 's3cret', from: 'PTOK (profile p)' };

const open: { server?: Server; client?: ApiClient }[] = [];
afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    await client?.close();
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }
});

async function setup(listener: RequestListener, token?: ApiToken) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const warnings: string[] = [];
  const client = createApiClient({ server: url, token, env: {} }, (sentence) => warnings.push(sentence));
  open.push({ server, client });
  return { client, url, warnings };
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

const failure = async (promise: Promise<unknown>): Promise<CliError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CliError);
  return error as CliError;
};

describe('send', () => {
  it('sends the token, the query and JSON, and reads the answer and its warnings', async () => {
    const seen: unknown[] = [];
    const { client, warnings } = await setup((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push(
          request.method,
          request.url,
          request.headers.authorization,
          request.headers['content-type'],
          Buffer.concat(chunks).toString(),
        );
        response
          .writeHead(201, { 'content-type': 'application/json', warning: '299 - "spec.x is \\"odd\\"", 299 - "second"' })
          .end('{"ok":true}');
      });
    }, TOKEN);
    const result = await client.send({ method: 'POST', path: '/v1/tasks', query: { namespace: 'a b', dryRun: undefined }, body: { a: 1 } });
    expect(seen).toEqual(['POST', '/v1/tasks?fieldValidation=Strict&namespace=a+b', 'Bearer s3cret', 'application/json', '{"a":1}']);
    expect(result).toEqual({ status: 201, body: { ok: true }, warnings });
    expect(warnings).toEqual(['spec.x is "odd"', 'second']);
  });

  it.each([
    [401, EXIT.denied, 'the token came from PTOK (profile p): give a valid one there'],
    [403, EXIT.denied, '"svcctl auth whoami" shows your role'],
    [404, EXIT.notFound, undefined],
    [409, EXIT.failed, undefined],
    [429, EXIT.failed, 'wait a moment'],
    [500, EXIT.failed, 'request id r-1'],
    [503, EXIT.unreachable, 'request id r-1'],
  ])('turns %i into exit code %i with the sentence of the server', async (status, exitCode, hint) => {
    const details = [{ path: 'spec.a', message: 'is required' }];
    const { client } = await setup(
      answer(status, { error: { code: 'invalid', message: 'Task default/x says no', details } }, { 'x-request-id': 'r-1' }),
      TOKEN,
    );
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ message: 'Task default/x says no', exitCode, status, details });
    if (hint === undefined) expect(error.hint).toBeUndefined();
    else expect(hintText(error.hint ?? '', 'svcctl')).toContain(hint);
    expect(JSON.stringify([error.message, error.hint])).not.toContain('s3cret');
  });

  it('names the variable of the token where none was sent', async () => {
    const { client } = await setup(answer(401, { error: { code: 'unauthorized', message: 'no' } }));
    const { hint } = await failure(client.send({ method: 'GET', path: '/' }));
    expect(hintText(hint ?? '', 'svcctl')).toBe('set SVC_API_TOKEN, or use a profile ("svcctl config set-profile --help")');
  });

  it('reports an answer of a program other than svcd', async () => {
    const { client, url } = await setup(answer(200, '<html>'));
    expect(await failure(client.send({ method: 'GET', path: '/' }))).toMatchObject({
      message: `${url} answered 200 with something that is not JSON`,
      hint: 'is this address an svcd server?',
    });
    const { client: other } = await setup(answer(502, '<html>bad gateway'));
    expect((await failure(other.send({ method: 'GET', path: '/' }))).message).toBe('the server answered 502');
  });

  it('rejects a text of another media type', async () => {
    const { client, url } = await setup(answer(200, '<html>', { 'content-type': 'text/html; charset=utf-8' }));
    const error = await failure(client.sendForText({ method: 'GET', path: '/v1/export', accept: 'application/yaml' }));
    expect(error).toMatchObject({
      message: `${url} answered 200 with text/html instead of application/yaml`,
      hint: 'is this address an svcd server?',
    });
  });

  it.each([400, 404])('takes a %i of another program for a wrong address', async (status) => {
    const { client, url } = await setup(answer(status, '<html>no'));
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ exitCode: EXIT.failed, hint: 'is this address an svcd server?' });
    expect(error.message).toBe(`${url} answered ${status} with something that is not an error of the API`);
    expect(error).not.toBeInstanceOf(ApiError);
  });

  it('takes a path that the server does not have for a wrong address', async () => {
    const text = JSON.stringify({ error: { code: 'not_found', message: 'There is nothing at /svc/v1/tasks/a' } });
    const { client, url } = await setup(answer(404, text, { link: '</openapi.json>; rel="service-desc"' }));
    const error = await failure(client.send({ method: 'GET', path: '/v1/tasks/a' }));
    expect(error).toMatchObject({
      exitCode: EXIT.failed,
      message: `${url} has no such path of the API: There is nothing at /svc/v1/tasks/a`,
      hint: expect.stringContaining('--server or SVCCTL_SERVER') as string,
    });
    expect(error).not.toBeInstanceOf(ApiError);
  });

  it.each([502, 504])('reports a %i of a proxy as an unreachable server', async (status) => {
    const { client } = await setup(answer(status, '<html>bad gateway'));
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ exitCode: EXIT.unreachable, message: `the server answered ${status}` });
    expect(error.hint).toBe('a proxy answered; check that the server behind it runs');
  });

  it('names the address that a redirect leads to', async () => {
    const { client, url } = await setup(answer(301, '', { location: 'https://svc.example/base/v1/tasks?fieldValidation=Strict' }));
    expect(await failure(client.send({ method: 'GET', path: '/v1/tasks' }))).toMatchObject({
      message: `${url} redirects to https://svc.example/base`,
      hint: 'name the address that it redirects to with --server or SVCCTL_SERVER',
    });
  });

  it('explains how to start a server when none listens', async () => {
    const { client, url } = await setup(() => undefined);
    await client.close();
    const { server } = open.pop()!;
    await new Promise((resolve) => server!.close(resolve));
    const late = createApiClient({ server: url, token: undefined, env: {} });
    open.push({ client: late });
    const error = await failure(late.send({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ message: `cannot connect to ${url}: connection refused`, exitCode: EXIT.unreachable });
    expect(error.hint).toContain('npx svcd');
  });

  it('reports a server without TLS', async () => {
    const { url } = await setup(answer(200, {}));
    const client = createApiClient({ server: url.replace('http:', 'https:'), token: undefined, env: {} });
    open.push({ client });
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error.message).toMatch(/^https:\S+ does not speak TLS$/);
    expect(error.exitCode).toBe(EXIT.unreachable);
  });

  it.skipIf(withoutOpenssl('a refused certificate'))('names the remedy for a certificate by an unknown authority', async () => {
    const authority = createTestAuthority();
    const server = createTlsServer(authority.issue('IP:127.0.0.1'), answer(200, {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createApiClient({ server: url, token: TOKEN, env: {} });
    open.push({ server, client });
    expect(await failure(client.send({ method: 'GET', path: '/' }))).toMatchObject({
      message: `${url} has a certificate by an authority that is not trusted here`,
      hint: 'set NODE_EXTRA_CA_CERTS to the PEM file of its authority',
      exitCode: EXIT.unreachable,
    });
    authority.remove();
  });

  it('reports a connection that breaks off within an answer', async () => {
    const { client } = await setup((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"a"');
      setImmediate(() => response.destroy());
    });
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ exitCode: EXIT.unreachable, message: expect.stringMatching(/^http:\S+ closed the connection$/) });
  });

  it('reports a connection closed in a chunked answer in the same words', async () => {
    const { client } = await setup((_request, response) => {
      response.writeHead(200).write('{"a"');
      setImmediate(() => response.destroy());
    });
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ exitCode: EXIT.unreachable, message: expect.stringMatching(/^http:\S+ closed the connection$/) });
  });

  it('reports an answer of a port that speaks no HTTP', async () => {
    const { client } = await setup((_request, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n'));
    const error = await failure(client.send({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ message: expect.stringMatching(/^http:\S+ does not speak HTTP$/), exitCode: EXIT.unreachable });
  });
});

describe('stream', () => {
  it('rejects a page of another program', async () => {
    const { client, url } = await setup(answer(200, '<html>', { 'content-type': 'text/html' }));
    expect(await failure(client.stream({ path: '/v1/tasks/watch' }).next())).toMatchObject({
      message: `${url} answered 200 with text/html instead of text/event-stream`,
      exitCode: EXIT.failed,
    });
  });

  it('yields events across chunk borders, comments left out, and resumes by id', async () => {
    let resumed: string | undefined;
    const { client } = await setup((request, response) => {
      resumed = request.headers['last-event-id'] as string | undefined;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\nevent: resource\nda');
      response.write('ta: {"n":"é');
      response.end('"}\n\n: keep-alive\n\nid: 2\nevent: close\ndata: {}\n\n');
    });
    const events = [];
    for await (const event of client.stream({ path: '/w', lastEventId: '41' })) events.push([event.id, event.event, event.data]);
    expect(events).toEqual([
      ['1', 'resource', '{"n":"é"}'],
      ['2', 'close', '{}'],
    ]);
    expect(resumed).toBe('41');
  });

  it('ends quietly when aborted, and fails when the connection breaks', async () => {
    const { client } = await setup((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      if (request.url?.startsWith('/break')) setImmediate(() => response.destroy());
    });
    const controller = new AbortController();
    for await (const _event of client.stream({ path: '/w', signal: controller.signal })) controller.abort();
    await failure(
      (async () => {
        for await (const _event of client.stream({ path: '/break' }));
      })(),
    );
  });

  it('maps a refusal like any other request', async () => {
    const { client } = await setup(answer(429, { error: { code: 'rate_limited', message: 'too many watches' } }));
    expect(await failure(client.stream({ path: '/w' }).next())).toMatchObject({ message: 'too many watches' });
  });
});
