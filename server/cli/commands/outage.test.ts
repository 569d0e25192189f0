// Commands that follow something, behind a proxy that answers 502 for a while.
import { readFile } from 'node:fs/promises';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blueprintsDirectory } from '../../installation.ts';
import { startCliServer } from '../../testing/cli-server.ts';
import { atFileEnd } from '../../testing/file-end.ts';

const { server, start, svcctl, freshNamespace } = await startCliServer();

/** A proxy in front of the server. While it is down, open answers break off and new requests get 502. */
async function startProxy() {
  const open = new Set<ServerResponse>();
  let up = true;
  const proxy = createServer((incoming, answer) => {
    if (!up) return void answer.writeHead(502, { 'content-type': 'text/html' }).end('<html>bad gateway');
    open.add(answer);
    answer.on('close', () => open.delete(answer));
    const { method, headers } = incoming;
    const outgoing = request(new URL(incoming.url ?? '/', server.url), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.on('error', () => answer.destroy()).pipe(answer);
    });
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing.on('error', () => answer.destroy()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  atFileEnd(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return {
    env: { SVCCTL_SERVER: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
    fail: () => {
      up = false;
      for (const answer of open) answer.destroy();
    },
    recover: () => (up = true),
  };
}

async function namespaceWithAgent(delay: string): Promise<string> {
  const n = freshNamespace();
  const text = await readFile(join(blueprintsDirectory(), 'single-agent', 'single-agent.yaml'), 'utf8');
  const stdin = text.replace(/script: \|[^]*?repeat: true/, `script: |\n      - { text: done, repeat: true, delay: ${delay} }`);
  expect((await svcctl(['apply', '-n', n, '-f', '-'], { stdin })).code).toBe(0);
  expect((await svcctl(['wait', '-n', n, 'task/single-agent-run'])).code).toBe(0);
  return n;
}

it('follows the logs of an agent over an outage of the server', async () => {
  const n = await namespaceWithAgent('1ms');
  const proxy = await startProxy();
  const logs = start(['logs', '-f', 'agent/assistant', '-n', n], { env: proxy.env });
  await logs.prints('task_summary');
  proxy.fail();
  await logs.prints('reconnecting');
  proxy.recover();
  await svcctl(['run', 'single-agent', '-n', n, '--name', 'second']);
  await logs.prints('task=second');
  logs.interrupt();
  expect(await logs.done).toMatchObject({ code: 0, err: expect.stringMatching(/^warning: .*; reconnecting\n$/) });
});

it('follows a run over an outage of the server', async () => {
  const n = await namespaceWithAgent('1s');
  const proxy = await startProxy();
  const run = start(['run', 'single-agent', '-n', n], { env: proxy.env });
  await run.prints('model call');
  proxy.fail();
  await run.prints('reconnecting');
  proxy.recover();
  expect(await run.done).toMatchObject({ code: 0, out: 'done\n', err: expect.stringContaining('✓ Succeeded') });
});

it('waits for no server that has not answered before', async () => {
  const proxy = await startProxy();
  proxy.fail();
  expect(await svcctl(['trace', '-f', 'any'], { env: proxy.env })).toMatchObject({ code: 3, err: expect.stringMatching(/^error: /) });
});
