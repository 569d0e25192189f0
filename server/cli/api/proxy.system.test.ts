// svcctl as a process behind a proxy that demands credentials, with a server behind TLS whose name only the proxy resolves.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConnectProxy, type ConnectProxy } from '../../testing/connect-proxy.ts';
import { startServerProcess, type ServerProcess } from '../../testing/server-process.ts';
import { createTestAuthority, withoutOpenssl, type TestAuthority } from '../../testing/test-certificates.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/bin/svcctl.js', import.meta.url));
const TOKEN = 'the-admin-token';
const HOST = 'agents.example.test';
const AGENT = `
kind: ModelEndpoint
metadata: { name: m }
spec: { provider: mock, options: { script: from afar } }
---
kind: Agent
metadata: { name: a }
spec: { model_ref: m, prompt: Answer. }
---
kind: AgentSystem
metadata: { name: s }
spec: { agents: [a], a2a: { enabled: true } }
`;

/** A server with TLS in front of `target`. */
function withTls(target: string, certificate: { readonly key: string; readonly cert: string }): Promise<Server> {
  const server = createServer(certificate, (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const onward = request(new URL(url ?? '', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      answer.pipe(outgoing);
    });
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward.on('error', () => outgoing.destroy()));
  });
  return new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe.skipIf(withoutOpenssl('svcctl behind a proxy'))('svcctl behind a proxy', () => {
  let directory: string;
  let svcd: ServerProcess;
  let authority: TestAuthority;
  let front: Server;
  let proxy: ConnectProxy;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svcctl-proxy-'));
    authority = createTestAuthority();
    await writeFile(join(directory, 'ca.crt'), authority.ca);
    await writeFile(join(directory, 'system.yaml'), AGENT);
    svcd = await startServerProcess({ env: { SVC_API_TOKEN: TOKEN } });
    front = await withTls(svcd.url, authority.issue(`DNS:${HOST}`));
    proxy = await startConnectProxy({ port: (front.address() as AddressInfo).port, credentials: 'me:s3cret' });
  });
  afterAll(async () => {
    await proxy.close();
    front.closeAllConnections();
    front.close();
    await svcd.end();
    authority.remove();
    await rm(directory, { recursive: true });
  });

  const svcctlWith = (credentials: string, ...argv: string[]) =>
    promisify(execFile)(process.execPath, [PROGRAM, ...argv], {
      cwd: directory,
      env: {
        XDG_CONFIG_HOME: directory,
        NODE_EXTRA_CA_CERTS: join(directory, 'ca.crt'),
        SVCCTL_SERVER: `https://${HOST}`,
        SVC_API_TOKEN: TOKEN,
        HTTPS_PROXY: `http://${credentials}@${proxy.host}`,
        NO_PROXY: 'other.example.test',
      },
    });
  const svcctl = (...argv: string[]) => svcctlWith('me:s3cret', ...argv);

  it('sends every request and stream through tunnels', async () => {
    await svcctl('apply', '-f', 'system.yaml');
    const { stdout } = await svcctl('run', 's', '-i', 'message=hi');
    expect(stdout).toContain('from afar');
    expect((await svcctl('a2a', 'send', 's', 'hi')).stdout).toContain('from afar');
    expect(proxy.seen.length).toBeGreaterThan(3);
    expect(new Set(proxy.seen)).toEqual(new Set([`${HOST}:443`]));
  });

  it.each([
    ['the server', ['get', 'agents']],
    ['a remote agent', ['a2a', 'card', `https://${HOST}/`]],
  ])('names the proxy where it refuses a request to %s', async (_what, argv) => {
    const failed = await svcctlWith('me:wr0ng', ...argv).catch((error: unknown) => error as { code: number; stderr: string });
    expect(failed).toMatchObject({
      code: 3,
      stderr:
        `error: the proxy ${proxy.host} (HTTPS_PROXY) requires valid credentials for connections to ${HOST}:443: it answered 407\n` +
        `hint: check HTTPS_PROXY, or add ${HOST} to NO_PROXY to connect without the proxy\n`,
    });
  });

  it('calls a server on loopback without the proxy', async () => {
    const before = proxy.seen.length;
    await svcctl('get', 'agents', '--server', svcd.url);
    expect(proxy.seen.length).toBe(before);
  });
});
