// svcctl a2a against a real server that signs its cards, agents on the official servers, and an agent that hangs.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgents, tokenOf, tokens } from '../../testing/a2a/agents.ts';
import { startAgentV03, startAgentV1, type SdkAgent } from '../../testing/a2a/sdk-agents.ts';
import { startLoopbackServer } from '../../testing/loopback-server.ts';
import { startSvcctl } from '../../testing/run-svcctl.ts';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';

let directory: string;
let server: TestServer;
let old: SdkAgent;
let fresh: SdkAgent;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svcctl-a2a-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(join(directory, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  server = await startTestServer(['--allow-private-tool-endpoints', '--a2a-card-signing-key', join(directory, 'key.pem')], {
    SVC_API_TOKENS: tokens,
  });
  await createAgents(server.url);
  [old, fresh] = await Promise.all([startAgentV03(), startAgentV1()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([server.stop(), old.close(), fresh.close(), rm(directory, { recursive: true, force: true })]);
});

const svcctl = (argv: readonly string[], options: { readonly stdin?: string; readonly env?: Record<string, string> } = {}) =>
  startSvcctl(argv, { cwd: directory, env: { SVCCTL_SERVER: server.url, SVC_API_TOKEN: tokenOf('writer') } }, options).done;

describe('a2a card', () => {
  it('prints the card of a system and verifies it with the keys of the server', async () => {
    const { code, out } = await svcctl(['a2a', 'card', 'asker']);
    expect(code).toBe(0);
    expect(out).toContain('Name:        asker');
    expect(out).toContain('Interfaces:  JSONRPC 1.0 http');
    expect(out).toMatch(/Signature: {3}verified, key [\w-]{43}/);
    expect(JSON.parse((await svcctl(['a2a', 'card', 'asker', '-o', 'json'])).out)).toMatchObject({
      signature: { kind: 'verified' },
      card: { name: 'asker', skills: [{ id: 'guarded' }] },
    });
  });

  it('prints the card of a remote agent, found by its address', async () => {
    const { code, out } = await svcctl(['a2a', 'card', old.url]);
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        ...['Name:        Old', 'Version:     1', 'Description: Speaks 0.3.', `Card:        ${old.url}/.well-known/agent-card.json`],
        ...[`Interfaces:  JSONRPC 0.3.0 ${old.url}/rpc`, 'Offers:      streaming', 'Skills:      Talk - Talks.', 'Signature:   none', ''],
      ].join('\n'),
    });
  });

  it('exits with 1 when the key is not among those given', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const stdin = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'other' }] });
    const { code, out } = await svcctl(['a2a', 'card', `${server.url}/v1/agent-systems/echo/a2a`, '--keys', '-'], { stdin });
    expect(code).toBe(1);
    expect(out).toContain('NOT VALID: the card is signed with the key');
  });

  it.each([
    ['a system that is not open', ['a2a', 'card', 'absent'], 5, 'no agent system "absent" in namespace default'],
    ['invalid keys', ['a2a', 'card', 'echo', '--keys', '-'], 2, 'not a JWK set'],
    ['an address that nobody listens at', ['a2a', 'card', 'http://127.0.0.1:1/'], 3, 'refused the connection'],
    ['an unset variable', ['a2a', 'card', 'http://127.0.0.1:1/', '--token-env', 'NO_SUCH'], 2, 'NO_SUCH'],
    ['a token for the own server', ['a2a', 'card', 'echo', '--token-env', 'PATH'], 2, '--token-env'],
  ])('refuses %s', async (_what, argv, code, words) => {
    const result = await svcctl(argv, { stdin: '{}' });
    expect(result.code).toBe(code);
    expect(result.err).toContain(words);
  });
});

describe('a2a send', () => {
  it.each(['1.0', '0.3', 'spec'])('streams the answer of a system of the server in version %s', async (version) => {
    const { code, out, err } = await svcctl(['a2a', 'send', 'slow', 'go', '--protocol-version', version]);
    expect({ code, out }).toEqual({ code: 0, out: 'one two three four five six seven eight nine ten\n' });
    expect(err).toMatch(/^task .*, context /m);
  });

  it('sends data and prints data and files that come back', async () => {
    const { code, out } = await svcctl(['a2a', 'send', fresh.url, 'data', '--data', '{"berth":7}']);
    expect({ code, out }).toEqual({
      code: 0,
      out: '{"got":2}\n{"file":{"name":"f.txt","mediaType":"text/plain","base64Characters":4}}\n',
    });
  });

  it('continues a context', async () => {
    const first = JSON.parse((await svcctl(['a2a', 'send', old.url, 'hello', '-o', 'json'])).out);
    const second = JSON.parse((await svcctl(['a2a', 'send', old.url, 'again', '--context', first.contextId, '-o', 'json'])).out);
    expect(second.contextId).toBe(first.contextId);
  });

  it('exits with 1 and prints the question when the agent requires input', async () => {
    const { code, err } = await svcctl(['a2a', 'send', old.url, 'ask']);
    expect(code).toBe(1);
    expect(err).toContain('input-required');
    expect((await svcctl(['a2a', 'send', old.url, 'ask'])).out).toContain('Which port?');
  });

  it('cancels the task when the time is up', async () => {
    const before = old.canceled.length;
    const { code, err } = await svcctl(['a2a', 'send', old.url, 'hang', '--timeout', '1']);
    expect(code).toBe(6);
    expect(err).toContain('did not end its task in 1 s');
    expect(old.canceled.length).toBe(before + 1);
  });

  it('sends the token of a variable to a remote agent, and its own token to no other server', async () => {
    const url = `${server.url}/v1/agent-systems/echo/a2a`;
    const refused = await svcctl(['a2a', 'send', url, 'hello']);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('--token-env');
    expect(await svcctl(['a2a', 'send', url, 'hello', '--token-env', 'AGENT'], { env: { AGENT: tokenOf('writer') } })).toMatchObject({
      code: 0,
    });
  });
});

describe('a2a test', () => {
  it('reports all versions of the own server as working', async () => {
    const { code, out } = await svcctl(['a2a', 'test', 'slow', '-o', 'json']);
    const { versions } = JSON.parse(out);
    const outcomes = versions.map(({ version, results }: any) => [version, ...results.map(({ outcome }: any) => outcome)]);
    const all = ['works', 'works', 'works', 'works', 'works', 'works'];
    expect(outcomes).toEqual([
      ['1.0', ...all],
      ['0.3', ...all],
      // Its send answers at the end, so no task is left to cancel.
      ['spec', 'works', 'works', 'works', 'skipped', 'works', 'works'],
    ]);
    expect(code).toBe(0);
  });

  it('reports no failure of an agent that ends its tasks before they can be canceled', async () => {
    const { versions } = JSON.parse((await svcctl(['a2a', 'test', 'echo', '-o', 'json'])).out);
    const seen = versions.flatMap(({ results }: any) => results.map(({ outcome, detail }: any) => `${outcome}: ${detail}`));
    expect(seen.filter((line: string) => line.startsWith('fails'))).toEqual([]);
  });

  it('refuses an invalid version as wrong usage', async () => {
    expect(await svcctl(['a2a', 'send', 'echo', 'x', '--protocol-version', '9'])).toMatchObject({ code: 2 });
  });

  it('reports features that an agent of A2A 0.3 lacks', async () => {
    const { code, out } = await svcctl(['a2a', 'test', old.url, '--message', 'slow']);
    expect(code).toBe(0);
    expect(out).toContain('1.0 (the card does not name it)\n  send            fails');
    expect(out).toMatch(/\n0\.3\n {2}send {12}works {4}task \w+\n {2}read {12}works {4}task completed\n {2}stream {10}works/);
  });

  it('shows no part of the token that an agent repeats in its errors', async () => {
    const token = 'k'.repeat(60);
    const said = `${'x'.repeat(960)} ${token}`;
    const body = JSON.stringify({ jsonrpc: '2.0', id: '1', error: { code: -32603, message: said } });
    const echoing = await startLoopbackServer((response, { method }) =>
      method === 'GET' ? response.writeHead(404).end() : response.setHeader('content-type', 'application/json').end(body),
    );
    const options = { env: { AGENT: token } };
    const { code, out } = await svcctl(['a2a', 'test', echoing.url, '--token-env', 'AGENT'], options);
    expect({ code, masked: out.includes('x ***'), part: out.includes('kkk') }).toEqual({ code: 1, masked: true, part: false });
    const sent = await svcctl(['a2a', 'send', echoing.url, 'hello', '--token-env', 'AGENT'], options);
    expect({ code: sent.code, masked: sent.err.includes('x ***'), part: sent.err.includes('kkk') }).toEqual({
      code: 1,
      masked: true,
      part: false,
    });
    await echoing.close();
  });

  it('exits with 1 when nothing works', async () => {
    expect((await svcctl(['a2a', 'test', `${server.url}/none`])).code).toBe(1);
  });
});
