// Agent cards, their signatures and the registry over HTTP. Signatures are checked by another implementation of JWS.
import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, flattenedVerify, type JSONWebKeySet, type JWK } from 'jose';
import { canonicalJson } from '@svc/shared/json';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../../testing/http-fixture.ts';
import { startTestServer } from '../../testing/running-server.ts';
import { systemClock } from '../../clock.ts';
import { createEgress } from '../../egress/create-egress.ts';
import { createAgentDirectory } from '../client/directory.ts';
import { createCardSigner } from './card-signer.ts';

const TOKENS = 'root:root-token:admin,see:reader-token:reader,bot:bot-token:a2a:team/closed';
const CARD = '/.well-known/agent-card.json';

async function start(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const http = await startHttpFixture(options);
  onTestFinished(() => http.close());
  return http;
}

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}-token` } });

interface System {
  readonly name: string;
  readonly namespace?: string;
  readonly auth?: string;
  readonly enabled?: boolean;
  readonly metadata?: object;
  readonly agents?: readonly string[];
}

async function write(http: HttpFixture, plural: string, object: object, namespace = 'default'): Promise<void> {
  const { status, text } = await http.send('POST', `/v1/${plural}?namespace=${namespace}`, { body: object, ...as('root') });
  expect(status, text).toBe(201);
}

function addSystem(
  http: HttpFixture,
  { name, namespace = 'default', auth = 'bearer', enabled = true, metadata, agents = ['clerk'] }: System,
) {
  return write(http, 'agent-systems', { metadata: { name, namespace, ...metadata }, spec: { agents, a2a: { enabled, auth } } }, namespace);
}

async function addClerk(http: HttpFixture): Promise<void> {
  await write(http, 'tools', {
    metadata: { name: 'ledger' },
    spec: {
      endpoint: 'https://ledger.example',
      description: 'Reads the ledger.',
      capabilities: ['books'],
      input_schema: { type: 'object', properties: { year: { type: 'integer' } } },
    },
  });
  await write(http, 'tools', {
    metadata: { name: 'bare' },
    spec: { endpoint: 'https://bare.example', operation_classes: ['write'], input_schema: {} },
  });
  const spec = { model_ref: 'm', prompt: 'You keep the  books.\nNever guess.', tools: ['ledger', 'bare', 'absent', 'ledger'] };
  await write(http, 'agents', { metadata: { name: 'clerk' }, spec });
}

const skills = [
  {
    ...{ id: 'ledger', name: 'ledger', description: 'Reads the ledger.', tags: ['books', 'read'] },
    inputSchema: { type: 'object', properties: { year: { type: 'integer' } } },
  },
  { id: 'bare', name: 'bare', tags: ['write'] },
];

describe('the card of a system', () => {
  test('has the fields of every version of the protocol', async () => {
    const http = await start({ apiTokens: TOKENS });
    await addClerk(http);
    await addSystem(http, { name: 'books', metadata: { labels: { 'svc.dev/version': '2.1' } } });
    const { status, body, headers } = await http.send('GET', '/v1/agent-systems/books/.well-known/agent-card.json');
    const url = 'https://agents.example/v1/agent-systems/books/a2a';
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{
        name: 'books',
        description: 'You keep the books.',
        version: '2.1',
        url,
        protocolVersion: '0.3.0',
        preferredTransport: 'JSONRPC',
      },
      supportedInterfaces: [
        { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: { streaming: true, stateTransitionHistory: true },
      defaultInputModes: ['text/plain', 'text/*', 'application/json', 'application/pdf', 'image/*'],
      defaultOutputModes: ['text/plain', 'application/json'],
      skills,
      authentication: { schemes: ['bearer'] },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    });
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=300', etag: expect.stringMatching(/^"[\w-]{27}"$/) });
    expect(headers['vary']).toContain('A2A-Version');
  });

  test.each([undefined, '1.0'])('names the provider that the flags set, in version %s', async (version) => {
    const provider = { organization: 'Example Inc.', url: 'https://example.com' };
    const flags = ['--a2a-provider-organization', provider.organization, '--a2a-provider-url', `${provider.url}/`];
    const server = await startTestServer([...flags, '--embedded-worker', 'false']);
    try {
      const body = JSON.stringify({ metadata: { name: 'books' }, spec: { agents: ['clerk'], a2a: { enabled: true } } });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${server.url}/v1/agent-systems`, { method: 'POST', headers, body })).status).toBe(201);
      const card = await fetch(`${server.url}${CARD}`, { headers: version === undefined ? {} : { 'a2a-version': version } });
      expect(await card.json()).toMatchObject({ name: 'books', provider });
    } finally {
      await server.stop();
    }
  });

  test('in the form of A2A 1.0 has no fields of other versions', async () => {
    const http = await start({ apiTokens: TOKENS });
    await addClerk(http);
    await addSystem(http, { name: 'books', metadata: { annotations: { 'svc.dev/description': 'Keeps books.' } } });
    const { body } = await http.send('GET', CARD, { headers: { 'a2a-version': '1.0' } });
    expect((await http.send('GET', `${CARD}?A2A-Version=1.0`)).body).toEqual(body);
    expect(body).toEqual({
      ...{ name: 'books', description: 'Keeps books.', version: '0.1.0' },
      supportedInterfaces: [
        { url: 'https://agents.example/v1/agent-systems/books/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: true },
      defaultInputModes: expect.arrayContaining(['text/plain']),
      defaultOutputModes: ['text/plain', 'application/json'],
      skills: [
        { id: 'ledger', name: 'ledger', description: 'Reads the ledger.', tags: ['books', 'read'] },
        { id: 'bare', name: 'bare', description: 'bare', tags: ['write'] },
      ],
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: {} } }],
    });
  });

  test.each([
    ['a public system', { apiTokens: TOKENS }, 'public'],
    ['a server without authentication', {}, 'bearer'],
  ])('names no authentication for %s', async (_, options, auth) => {
    const http = await start(options);
    await addSystem(http, { name: 'books', auth });
    const [hybrid, strict] = await Promise.all(
      ['0.3', '1.0'].map((version) => http.send('GET', CARD, { headers: { 'a2a-version': version } })),
    );
    for (const field of ['authentication', 'securitySchemes']) expect(hybrid?.body).not.toHaveProperty(field);
    expect(strict?.body).not.toHaveProperty('securitySchemes');
  });

  test('offers a system without tools as its own skill, and names its namespace', async () => {
    const http = await start();
    await addSystem(http, { name: 'alone', namespace: 'team', agents: ['nobody'] });
    const { body } = await http.send('GET', '/v1/agent-systems/alone/.well-known/agent.json?namespace=team');
    expect(body.url).toBe('https://agents.example/v1/agent-systems/alone/a2a?namespace=team');
    expect(body.skills).toEqual([{ id: 'alone', name: 'alone', description: 'Agent system alone', tags: ['agent-system'] }]);
  });

  test('tags a tool without classes, and describes one without description in the form of A2A 1.0 only', async () => {
    const http = await start();
    await write(http, 'tools', { metadata: { name: 'plain' }, spec: { endpoint: 'https://plain.example', operation_classes: [] } });
    await write(http, 'agents', { metadata: { name: 'solo' }, spec: { model_ref: 'm', prompt: 'x', tools: ['plain'] } });
    await addSystem(http, { name: 'books', agents: ['solo'] });
    const cards = await Promise.all(['0.3', '1.0'].map((version) => http.send('GET', CARD, { headers: { 'a2a-version': version } })));
    expect(cards.map(({ body }) => body.skills)).toEqual([
      [{ id: 'plain', name: 'plain', tags: ['read'] }],
      [{ id: 'plain', name: 'plain', description: 'plain', tags: ['read'] }],
    ]);
  });

  test('is not sent again to a client that has it, until it changes', async () => {
    const http = await start();
    await addSystem(http, { name: 'books' });
    const first = await http.send('GET', CARD);
    const headers = { 'if-none-match': `"other", W/${first.headers['etag'] as string}` };
    expect(await http.send('GET', CARD, { headers })).toMatchObject({ status: 304, text: '' });
    await http.send('PATCH', '/v1/agent-systems/books', { body: { metadata: { annotations: { 'svc.dev/description': 'New.' } } } });
    expect(await http.send('GET', CARD, { headers })).toMatchObject({ status: 200, body: { description: 'New.' } });
  });

  test.each(['closed', 'absent', '%2e%2e'])('is not found for %s', async (name) => {
    const http = await start();
    await addSystem(http, { name: 'closed', enabled: false });
    const { status, body } = await http.send('GET', `/v1/agent-systems/${name}/.well-known/agent-card.json`);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  });
});

describe('the card of the server', () => {
  test.each([CARD, '/.well-known/agent.json'])('at %s is that of the one open system', async (path) => {
    const http = await start();
    await addSystem(http, { name: 'books' });
    await addSystem(http, { name: 'closed', enabled: false });
    expect(await http.send('GET', path)).toMatchObject({ status: 200, body: { name: 'books' } });
  });

  test.each([
    ['no system is open', [], 'No agent is open to A2A'],
    ['several systems are open', ['one', 'two'], '/v1/a2a/agents'],
  ])('is not found while %s, and the answer gives the reason', async (_, names, said) => {
    const http = await start();
    for (const name of names) await addSystem(http, { name });
    const { status, body } = await http.send('GET', CARD);
    expect(status).toBe(404);
    expect(body.error.message).toContain(said);
  });
});

describe('signatures', () => {
  test.each(['ec', 'ed25519'] as const)('by a key of %s follow RFC 7515 over RFC 8785', async (type) => {
    const { privateKey } = type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
    const http = await start({ cardSigner: createCardSigner(privateKey.export({ format: 'pem', type: 'pkcs8' }) as string) });
    await addClerk(http);
    await addSystem(http, { name: 'books' });
    const { body: keys } = await http.send('GET', '/.well-known/jwks.json');
    for (const version of ['0.3', '1.0']) {
      const { body } = await http.send('GET', CARD, { headers: { 'a2a-version': version } });
      const { signatures, ...card } = body;
      const payload = Buffer.from(canonicalJson(card)).toString('base64url');
      const set = createLocalJWKSet(keys as JSONWebKeySet);
      const { protectedHeader } = await flattenedVerify({ ...signatures[0], payload }, set);
      expect(protectedHeader).toMatchObject({
        alg: type === 'ec' ? 'ES256' : 'EdDSA',
        kid: await calculateJwkThumbprint(keys.keys[0] as JWK),
      });
      const forged = Buffer.from(canonicalJson({ ...card, name: 'other' })).toString('base64url');
      await expect(flattenedVerify({ ...signatures[0], payload: forged }, set)).rejects.toThrow();
    }
    expect(keys.keys[0]).not.toHaveProperty('d');
  });

  test('a signed card is not sent again to a client that has it', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const http = await start({ cardSigner: createCardSigner(privateKey.export({ format: 'pem', type: 'pkcs8' }) as string) });
    await addSystem(http, { name: 'books' });
    const etag = (await http.send('GET', CARD)).headers['etag'] as string;
    expect(await http.send('GET', CARD, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304, text: '' });
  });

  test('a server without a key publishes none', async () => {
    const http = await start();
    expect((await http.send('GET', '/.well-known/jwks.json')).status).toBe(404);
  });

  test.each([
    ['no PEM', 'hello'],
    ['a key of RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string],
    ['a public key', generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }) as string],
    ['another curve', generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey.export({ format: 'pem', type: 'sec1' }) as string],
  ])('%s is refused as a key', (_, pem) => {
    expect(() => createCardSigner(pem)).toThrow('P-256 or Ed25519');
  });
});

describe('the registry', () => {
  async function seeded(): Promise<HttpFixture> {
    const http = await start({ apiTokens: TOKENS });
    await addSystem(http, { name: 'free', auth: 'public' });
    await addSystem(http, { name: 'books' });
    await addSystem(http, { name: 'closed', namespace: 'team' });
    const spec = { type: 'a2a', a2a: { agent_url: 'https://far.example/rpc', protocol_version: '1.0' } };
    await write(http, 'tools', { metadata: { name: 'far' }, spec });
    return http;
  }

  test.each([
    ['nobody', undefined, ['free'], 0],
    ['a reader', 'reader', ['books', 'closed', 'free'], 1],
    ['a token of role a2a', 'bot', ['closed'], 0],
  ])('shows to %s the agents that they may see', async (_, token, names, remote) => {
    const http = await seeded();
    const { status, body } = await http.send('GET', '/v1/a2a/agents', token === undefined ? {} : as(token));
    expect(status).toBe(200);
    expect(body.localAgents.map((card: any) => card.name).sort()).toEqual(names);
    expect(body.remoteAgents).toHaveLength(remote);
  });

  test('shows the card of a remote agent, or the reason why it could not be read', async () => {
    const remote = await start();
    await addSystem(remote, { name: 'books' });
    const egress = createEgress();
    const guard = {
      egress,
      clock: systemClock,
      permittedBy: '--a2a-allow-private-endpoints',
      trustedKeys: undefined,
      requireSigned: false,
    };
    const http = await start({ agentDirectory: createAgentDirectory({ ...guard, allowPrivate: true }) });
    for (const [name, a2a] of [
      ['far', { agent_url: remote.url }],
      ['gone', { agent_url: 'http://127.0.0.1:1/' }],
      ['older', { agent_url: remote.url, protocol_version: '0.3' }],
    ] as const)
      await write(http, 'tools', { metadata: { name }, spec: { type: 'a2a', a2a } });
    const { remoteAgents } = (await http.send('GET', '/v1/a2a/agents')).body;
    const lastRefreshed = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(remoteAgents).toMatchObject([
      { name: 'far', protocolVersion: '1.0', cacheStatus: 'fresh', card: { name: 'books' }, lastRefreshed },
      { name: 'gone', cacheStatus: 'empty', error: expect.stringContaining('refused the connection'), lastRefreshed },
      { name: 'older', protocolVersion: '0.3', cacheStatus: 'fresh', card: { name: 'books' }, lastRefreshed },
    ]);
    expect(remoteAgents[1]).not.toHaveProperty('protocolVersion');
    await egress.close();
  });

  test('lists remote agents by their tools, and rejects an invalid token', async () => {
    const http = await seeded();
    expect((await http.send('GET', '/v1/a2a/agents', as('root'))).body.remoteAgents).toEqual([
      { name: 'far', namespace: 'default', url: 'https://far.example/rpc', protocolVersion: '1.0', cacheStatus: 'empty' },
    ]);
    expect((await http.send('GET', '/v1/a2a/agents', as('wrong'))).status).toBe(401);
  });
});
