// Servers of tools that answer with more than their call needs, or with what cannot be read.
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { toolSpec } from '../../testing/specs.ts';
import { toolDeps } from '../../testing/tool-deps.ts';
import { createToolPort } from '../create-tool-port.ts';

const REFLECTED = '/a.B/C';

/** The error of a call to a server that sends these bytes on each stream. */
async function failureAfter(answer: Buffer, { method = '', headers = {} }: { method?: string; headers?: http2.OutgoingHttpHeaders }) {
  const server = http2.createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...headers });
    stream.write(answer);
  });
  server.on('session', (session) => onTestFinished(() => session.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const deps = toolDeps({ allowPrivateEndpoints: true });
  const port = createToolPort(deps);
  onTestFinished(() => port.close());
  const endpoint = `grpc://127.0.0.1:${(server.address() as AddressInfo).port}${method}`;
  const tool = { namespace: 'team', name: 'sum', spec: toolSpec({ type: 'grpc', endpoint }) };
  const call = { tool, requestId: 'req-1', taskId: 'team/t', stream: 'uid-1', namespace: 'team', agent: 'a', input: {} };
  return port.invoke(call, { signal: new AbortController().signal }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

function framed(bytes: Buffer, compressed = 0): Buffer {
  const head = Buffer.from([compressed, 0, 0, 0, 0]);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

test('an answer in an unknown compression is a typed error', async () => {
  const error = await failureAfter(framed(Buffer.from('zstd'), 1), { headers: { 'grpc-encoding': 'zstd' } });
  expect(error).toMatchObject({ code: 'execution_failed', reason: 'grpc_unknown', retryable: false });
});

test('an answer of reflection that is too large is refused and not requested again', async () => {
  const error = await failureAfter(framed(Buffer.alloc(5_000_000)), { method: REFLECTED });
  expect(error).toMatchObject({ code: 'execution_failed', reason: 'response_too_large', retryable: false });
});

test('answers of reflection without end are refused', async () => {
  const error = await failureAfter(Buffer.alloc(5 * 300), { method: REFLECTED });
  expect(error).toMatchObject({ code: 'execution_failed', reason: 'reflection_too_large', retryable: false });
});
