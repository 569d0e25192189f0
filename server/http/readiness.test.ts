// Readiness through both fronts that serve it: the API and the probes of a worker process.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { Counter, Registry } from 'prom-client';
import { startHttpFixture } from '../testing/http-fixture.ts';
import { createProbeServer } from './probe-server.ts';
import { collectReadiness, createReadiness, readinessBody, type CheckReady, type ReadinessCheck } from './readiness.ts';

const away = () => {
  throw new ServiceError('unavailable', 'the database does not answer');
};
const never = () => new Promise<void>(() => undefined);

interface Report {
  readonly errors: unknown[];
  readonly ready: CheckReady;
}

function ready(checks: readonly ReadinessCheck[]): Report {
  const errors: unknown[] = [];
  return { errors, ready: createReadiness(checks, { reportError: (error) => errors.push(error), timeoutMs: 50 }) };
}

async function startProbes(checkReady: CheckReady, errors: unknown[] = []) {
  const metrics = new Registry();
  new Counter({ name: 'svc_test_total', help: 'A metric.', registers: [metrics] }).inc();
  const probes = createProbeServer({ host: '127.0.0.1', port: 0, checkReady, metrics, reportError: (error) => errors.push(error) });
  await probes.listen();
  onTestFinished(() => probes.close());
  return probes;
}

describe('readiness', () => {
  test('names every check', async () => {
    const { ready: check } = ready([
      { name: 'store', check: () => undefined },
      { name: 'worker', check: async () => undefined },
    ]);
    const report = await collectReadiness(check, { reportError: () => undefined });
    expect(readinessBody(report)).toEqual({
      status: 'ok',
      checks: [
        { name: 'store', ok: true },
        { name: 'worker', ok: true },
      ],
    });
  });

  test('reports the problem of a failing check in one sentence, beside the passing ones', async () => {
    const { ready: check } = ready([
      { name: 'store', check: away },
      { name: 'worker', check: () => undefined },
    ]);
    expect(readinessBody(await collectReadiness(check, { reportError: () => undefined }))).toEqual({
      status: 'unavailable',
      checks: [
        { name: 'store', ok: false, message: 'the database does not answer' },
        { name: 'worker', ok: true },
      ],
      error: { code: 'unavailable', message: 'Not ready: store: the database does not answer' },
    });
  });

  test('waits for no check longer than its time', async () => {
    const { ready: check } = ready([{ name: 'store', check: never }]);
    expect(await check()).toEqual({
      status: 'unavailable',
      checks: [{ name: 'store', ok: false, message: 'no answer within 0.05 seconds' }],
    });
  });

  test('names the check that does not answer, not the server', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = collectReadiness(createReadiness([{ name: 'store', check: never }], { reportError: () => undefined }), {
      reportError: () => undefined,
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await asked).toMatchObject({ checks: [{ name: 'store', ok: false, message: 'no answer within 2 seconds' }] });
  });

  test('keeps the words of an unexpected failure to the log', async () => {
    const secret = new Error('password=hunter2');
    const told = ready([{ name: 'store', check: () => Promise.reject(secret) }]);
    expect(JSON.stringify(await told.ready())).not.toContain('hunter2');
    expect(told.errors).toEqual([secret]);
  });
});

describe('/readyz of the API', () => {
  test('is 503 with the failing check and a Retry-After header', async () => {
    const http = await startHttpFixture({ checkReady: ready([{ name: 'store', check: away }]).ready });
    onTestFinished(() => http.close());
    const answer = await http.send('GET', '/readyz');
    expect(answer).toMatchObject({ status: 503, body: { status: 'unavailable', checks: [{ name: 'store', ok: false }] } });
    expect(answer.headers['retry-after']).toBe('1');
  });

  test('answers in bounded time when a part does not', async () => {
    const http = await startHttpFixture({ checkReady: never });
    onTestFinished(() => http.close());
    const began = performance.now();
    expect(await http.send('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { error: { message: 'Not ready: no answer within 2.5 seconds' } },
    });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('is 503 to a connection that is still open while the server shuts down', async () => {
    let release: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    let entered: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const http = await startHttpFixture({
      checkReady: async () => {
        entered();
        await asked;
      },
    });
    onTestFinished(() => http.close());
    const first = http.send('GET', '/readyz');
    await inside;
    const closed = http.front.close(5_000);
    release();
    expect((await first).status).toBe(503);
    await closed;
  });
});

describe('the probe server', () => {
  test('shows health, readiness and metrics, and nothing else', async () => {
    const told = ready([{ name: 'store', check: () => undefined }]);
    const { address } = await startProbes(told.ready);
    const get = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${address.url}${path}`, init);
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
    };
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await get('/readyz?verbose')).toMatchObject({ status: 200, text: '{"status":"ok","checks":[{"name":"store","ok":true}]}' });
    expect(await get('/metrics')).toMatchObject({ status: 200, type: expect.stringContaining('text/plain') });
    expect((await get('/metrics')).text).toContain('svc_test_total 1');
    expect(await get('/readyz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await get('/v1/tasks')).status).toBe(404);
    expect((await get('/healthz', { method: 'POST', body: 'x' })).status).toBe(405);
  });

  test('is 503 while a check fails', async () => {
    const { address } = await startProbes(ready([{ name: 'store', check: away }]).ready);
    const response = await fetch(`${address.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: 'unavailable', checks: [{ name: 'store', ok: false }] });
  });

  test('reports in one sentence that its address is in use, and can still be closed', async () => {
    const { address } = await startProbes(async () => undefined);
    const second = createProbeServer({
      host: '127.0.0.1',
      port: address.port,
      checkReady: async () => undefined,
      metrics: new Registry(),
      reportError: () => undefined,
    });
    await expect(second.listen()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(`${address.port}`) });
    await second.close();
    await second.close();
  });
});
