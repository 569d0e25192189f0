import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../clock.ts';
import type { CallError } from '../../../engine/ports.ts';
import { finderAt } from '../../../testing/docker-engine.ts';
import { toolCeilings } from '../../../testing/tool-deps.ts';
import type { IsolatedRun } from '../isolation.ts';
import { createDockerEngine } from './docker-engine.ts';

const SECRET = 'a-secret-value';
const folder = mkdtempSync(join(tmpdir(), 'svc-failing-'));
const socket = join(folder, 'docker.sock');
/** An engine whose disk is full. */
const server = createServer(({ url = '' }, response) => {
  const image = { Id: `sha256:${'a'.repeat(64)}`, Config: { Env: [] } };
  const message = `write /var/lib/docker/x: no space left on device, with A=${SECRET}`;
  const [status, body] = url.startsWith('/containers/create') ? [500, { message }] : [200, image];
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

beforeAll(() => once(server.listen(socket), 'listening'));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function failure(wanted: Pick<IsolatedRun, 'envBase' | 'env'>): Promise<CallError> {
  const engine = createDockerEngine({
    ...{ clock: systemClock, finder: finderAt(`unix://${socket}`), owner: 'failing', defaultNetwork: 'none', ceilings: toolCeilings() },
    reportError: () => undefined,
  });
  const call = engine.run({
    ...{ mode: 'sandboxed', image: 'busybox:1', command: ['x'], outputMaxBytes: 1024, floodMaxBytes: 1024, what: 'Tool "t/x"' },
    ...wanted,
    owner: { requestId: 'r1', taskId: 't/task', tool: 't/x' },
    deadline: Date.now() + 10_000,
    signal: AbortSignal.timeout(10_000),
  });
  return call.then(
    () => Promise.reject(new Error('it should have failed')),
    (error: unknown) => error as CallError,
  );
}

test('an engine that fails is quoted in the error of the call, without the values of variables', async () => {
  const error = await failure({ envBase: 'image', env: { A: SECRET } });
  expect(error).toMatchObject({ code: 'isolation_unavailable', reason: 'engine_unreachable', retryable: true });
  expect(error.message).toContain('the container engine failed: write /var/lib/docker/x: no space left on device');
  expect(error.message).not.toContain(SECRET);
});

test('an engine that fails at the look-up of the command is quoted too', async () => {
  expect((await failure({ envBase: 'exact', env: {} })).message).toContain('no space left on device');
});
