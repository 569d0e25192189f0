import { describe, expect, test } from 'vitest';
import { systemClock, type Clock } from '../clock.ts';
import { ServiceError } from '@svc/shared/errors';
import { CallError } from '../engine/ports.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { callFailure, toolCall } from '../testing/tool-deps.ts';
import { attemptCall } from './attempts.ts';
import type { TokenCache } from './oauth-tokens.ts';
import type { ToolCall, ToolRun, ToolRuntime } from './runtime.ts';

const OAUTH = { profile: 'oauth2_client_credentials', secretRef: 'client', tokenURL: 'https://x.test/token' };

/** A token endpoint that gives t1, t2, …: a new one once the last was evicted. */
function tokens(): TokenCache & { readonly evicted: string[] } {
  const evicted: string[] = [];
  return { evicted, get: () => Promise.resolve(`t${evicted.length + 1}`), evict: (_, token) => void evicted.push(token) };
}

interface Tried {
  readonly spec?: Record<string, unknown>;
  readonly cache?: TokenCache;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly prepare?: NonNullable<ToolRuntime['prepare']>;
}

const concealed: string[] = [];

function attempt(
  run: (run: ToolRun) => Promise<string>,
  { spec = {}, cache = tokens(), signal, clock = systemClock, prepare }: Tried = {},
) {
  const secrets = {
    resolveValue: () => Promise.resolve('value'),
    resolveEntries: () => Promise.resolve({ client_id: 'id', client_secret: 'client-secret' }),
  };
  const runtime: ToolRuntime = { type: 'test', run: async (each) => ({ output: await run(each) }), ...(prepare && { prepare }) };
  const call: ToolCall = {
    ...toolCall(spec),
    signal: signal ?? new AbortController().signal,
    conceal: (values) => void concealed.push(...values),
  };
  return attemptCall({ secrets, tokens: cache, clock, random: () => 0 }, call, runtime);
}

const refused = (code: 'auth_invalid' | 'auth_forbidden' = 'auth_invalid') => new CallError(code, 'no', { retryable: false });
const retry = (max_attempts: number) => ({ runtime: { retry: { max_attempts } } });

describe('a token that was refused', () => {
  test('is replaced once, within the attempt', async () => {
    const cache = tokens();
    const seen: string[] = [];
    const run = ({ credentials, attempt: n }: ToolRun) => {
      seen.push(`${n} ${credentials.headers['authorization']}`);
      return seen.length === 1 ? Promise.reject(refused()) : Promise.resolve('done');
    };
    expect(await attempt(run, { spec: { auth: OAUTH }, cache })).toEqual({ answer: { output: 'done' }, attempts: 1 });
    expect([seen, cache.evicted]).toEqual([['1 Bearer t1', '1 Bearer t2'], ['t1']]);
    expect(concealed).toEqual(expect.arrayContaining(['t1', 't2', 'client-secret']));
  });

  test('twice in a row is the end, whatever attempts are left', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.reject(refused());
    };
    const error = await callFailure(attempt(run, { spec: { auth: OAUTH, ...retry(5) } }));
    expect([error.code, error.attempts, runs]).toEqual(['auth_invalid', 1, 2]);
  });

  test('is not replaced again where the runtime has done so', async () => {
    let runs = 0;
    const run = async ({ credentials, freshCredentials }: ToolRun) => {
      runs += 1;
      credentials.evict?.();
      expect((await freshCredentials()).headers).toEqual({ authorization: 'Bearer t2' });
      throw refused();
    };
    await callFailure(attempt(run, { spec: { auth: OAUTH } }));
    expect(runs).toBe(1);
  });

  test.each<[string, Record<string, unknown>, CallError]>([
    ['a fixed token', { auth: { secretRef: 'token' } }, refused()],
    ['no credentials', {}, refused()],
    ['a refusal for lack of rights', { auth: OAUTH }, refused('auth_forbidden')],
  ])('stays refused with %s', async (_, spec, error) => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.reject(error);
    };
    expect(await callFailure(attempt(run, { spec: { ...spec, ...retry(3) } }))).toMatchObject({ code: error.code, attempts: 1 });
    expect(runs).toBe(1);
  });
});

test('each attempt has its number, its deadline and its own time', async () => {
  const clock = createManualClock();
  const seen: [attempt: number, began: number, deadline: number][] = [];
  const began = clock.now();
  const run = ({ attempt: n, deadline, signal }: ToolRun) => {
    seen.push([n, clock.now() - began, deadline - began]);
    return new Promise<string>((resolve, reject) => {
      if (n === 3) resolve('done');
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };
  const spec = { runtime: { timeout: '150ms', retry: { max_attempts: 3 } } };
  const outcome = attempt(run, { spec, clock });
  // The pause between attempts is none.
  const until = (n: number) => expect.poll(() => (clock.advance(0), seen.length)).toBe(n);
  for (const n of [1, 2]) {
    await until(n);
    clock.advance(150);
  }
  await until(3);
  expect(await outcome).toMatchObject({ attempts: 3 });
  expect(seen).toEqual([
    [1, 0, 150],
    [2, 150, 300],
    [3, 300, 450],
  ]);
});

test('preparing comes once, before the time of the first attempt', async () => {
  const order: string[] = [];
  const run = ({ attempt: n }: ToolRun) => {
    order.push(`run ${n}`);
    return n === 1 ? Promise.reject(new CallError('execution_failed', 'x', { retryable: true })) : Promise.resolve('done');
  };
  const prepare = () => Promise.resolve(void order.push('prepare'));
  await attempt(run, { spec: retry(2), prepare });
  expect(order).toEqual(['prepare', 'run 1', 'run 2']);
});

test('a preparation that failed is repeated with the next attempt', async () => {
  let prepared = 0;
  const prepare = async () => {
    prepared += 1;
    if (prepared === 1) throw new CallError('isolation_unavailable', 'no engine', { retryable: true });
  };
  expect(await attempt(() => Promise.resolve('done'), { spec: retry(3), prepare })).toMatchObject({ attempts: 2 });
  expect(prepared).toBe(2);
});

test('an attempt that finds the database away is repeated', async () => {
  const run = ({ attempt: n }: ToolRun) =>
    n === 1 ? Promise.reject(new ServiceError('unavailable', '/data/svc.db')) : Promise.resolve('done');
  expect(await attempt(run, { spec: retry(2) })).toMatchObject({ attempts: 2 });
  const error = await callFailure(attempt(run, { spec: retry(1) }));
  expect(error).toMatchObject({ code: 'execution_failed', retryable: true, reason: 'service_unavailable' });
  expect(error.message).not.toContain('/data');
});

test('a call that is aborted makes no attempt', async () => {
  const abort = new AbortController();
  abort.abort();
  const error = await callFailure(attempt(() => Promise.reject(new Error('it ran')), { signal: abort.signal, spec: retry(3) }));
  expect(error.code).toBe('canceled');
});
