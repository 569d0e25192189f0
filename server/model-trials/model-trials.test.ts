import { expect, onTestFinished, test } from 'vitest';
import { CallError, type ModelPort } from '../engine/ports.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { json, startLoopbackServer, type LoopbackServer } from '../testing/loopback-server.ts';
import { as, setupRegistry } from '../testing/registry-fixture.ts';
import { createEgress } from '../egress/create-egress.ts';
import { createModelPort } from '../models/create-model-port.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import { auditModelTrials } from '../audit/audit-model-trials.ts';
import { createModelTrials, TRIAL_TIMEOUT_MS, TRIALS_MAX } from './model-trials.ts';

const WRITER = as('writer');
const never = new AbortController().signal;
const PLACE = { namespace: 'default', name: 'm' };
const completion = json({
  model: 'm1',
  choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});
const compatible = (url: string, more: object = {}) => ({
  provider: 'gateway-a-compatible',
  base_url: `${url}/v1`,
  default_model: 'm1',
  allowPrivate: true,
  auth: { secretRef: 'own-key' },
  ...more,
});
const secrets = {
  resolveValue: (ref: string) => Promise.resolve(`stored-${ref}`),
  resolveEntries: (ref: string) => Promise.resolve({ value: `stored-${ref}` }),
};

async function setup(options: { readonly models?: ModelPort; readonly allowPrivate?: boolean } = {}) {
  const { registry, post } = await setupRegistry();
  const clock = createManualClock();
  const egress = createEgress();
  onTestFinished(() => egress.close());
  const real = (own: typeof secrets) => createModelPort({ secrets: own, egress, clock, allowPrivate: options.allowPrivate ?? true });
  const trials = createModelTrials({
    registry,
    requireReferences: () => Promise.resolve(),
    secrets,
    clock,
    newId: () => 'id',
    models: (own) => options.models ?? real(own as typeof secrets),
  });
  return { trials, clock, post };
}

async function server(): Promise<LoopbackServer> {
  const made = await startLoopbackServer(completion);
  onTestFinished(() => made.close());
  return made;
}

test('calls a model that is not stored, with the entered key', async () => {
  const { trials } = await setup();
  const remote = await server();
  const answer = await trials.ask(
    WRITER,
    { ...PLACE, spec: compatible(remote.url), apiKey: 'typed-key', prompt: 'Be brief.', message: 'Hi' },
    never,
  );
  expect(answer).toEqual({
    ok: true,
    content: 'Hello.',
    truncated: false,
    model: 'm1',
    finishReason: 'stop',
    latencyMs: 0,
    inputTokens: 3,
    outputTokens: 2,
  });
  const [sent] = remote.seen;
  expect(sent?.headers['authorization']).toBe('Bearer typed-key');
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
  });
});

test('calls a stored model with its stored Secret', async () => {
  const { trials, post } = await setup();
  const remote = await server();
  await post({ kind: 'ModelEndpoint', metadata: { name: 'm', namespace: 'default' }, spec: compatible(remote.url) });
  expect(await trials.ask(WRITER, { ...PLACE, message: 'Hi' }, never)).toMatchObject({ ok: true });
  expect(remote.seen[0]?.headers['authorization']).toBe('Bearer stored-own-key');
});

test('keeps private addresses closed unless the operator and the endpoint open them', async () => {
  const { trials } = await setup({ allowPrivate: false });
  const remote = await server();
  const answer = await trials.ask(WRITER, { ...PLACE, spec: compatible(remote.url), apiKey: 'k', message: 'Hi' }, never);
  expect(answer).toMatchObject({ ok: false, code: 'egress_blocked' });
  expect(remote.seen).toEqual([]);
});

test('answers for a model that does not, and never with the key', async () => {
  const { trials } = await setup({
    models: {
      complete: () => Promise.reject(new CallError('auth_invalid', 'the key was refused', { retryable: false, reason: 'http_401' })),
    },
  });
  const answer = await trials.ask(WRITER, { ...PLACE, spec: compatible('http://127.0.0.1:1'), apiKey: 'typed-key', message: 'Hi' }, never);
  expect(answer).toEqual({
    ok: false,
    code: 'auth_invalid',
    message: 'the key was refused',
    reason: 'http_401',
    retryable: false,
    latencyMs: 0,
  });
});

test('ends a call at its deadline', async () => {
  const { trials, clock } = await setup({
    models: {
      complete: (_endpoint, _request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    },
  });
  const asked = trials.ask(WRITER, { ...PLACE, spec: compatible('http://127.0.0.1:1'), apiKey: 'k', message: 'Hi' }, never);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(TRIAL_TIMEOUT_MS);
  expect(await asked).toMatchObject({ ok: false, code: 'timeout', retryable: true, latencyMs: TRIAL_TIMEOUT_MS });
});

test('refuses a reader, an endpoint that could not be stored and one that is not', async () => {
  const { trials } = await setup();
  await expect(trials.ask(as('reader'), { ...PLACE, message: 'Hi' }, never)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(trials.ask(WRITER, { ...PLACE, spec: { provider: 'nobody' }, message: 'Hi' }, never)).rejects.toMatchObject({
    code: 'invalid',
    details: [{ path: 'spec.provider' }],
  });
  await expect(trials.ask(WRITER, { ...PLACE, message: 'Hi' }, never)).rejects.toMatchObject({ code: 'not_found' });
});

test('runs a bounded number of trials at once', async () => {
  let answer = () => undefined as void;
  const waiting = new Promise<never>((_resolve, reject) => {
    answer = () => reject(new CallError('execution_failed', 'no', { retryable: false }));
  });
  const { trials } = await setup({ models: { complete: () => waiting } });
  const ask = () => trials.ask(WRITER, { ...PLACE, spec: compatible('http://127.0.0.1:1'), apiKey: 'k', message: 'Hi' }, never);
  const open = Array.from({ length: TRIALS_MAX }, ask);
  await new Promise((resolve) => setImmediate(resolve));
  await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
  answer();
  await Promise.all(open);
  expect(await ask()).toMatchObject({ ok: false, code: 'execution_failed' });
});

test('audit lines name the host and the Secret, and hold neither prompt nor key', async () => {
  const { trials, clock } = await setup();
  const remote = await server();
  const events: AuditEvent[] = [];
  const audited = auditModelTrials(trials, { write: (event) => events.push(event) }, clock);
  await audited.ask(
    WRITER,
    { ...PLACE, spec: compatible(remote.url), apiKey: 'typed-key', prompt: 'Be brief.', message: 'Hi there' },
    never,
  );
  await expect(audited.ask(WRITER, { ...PLACE, message: 'Hi' }, never)).rejects.toThrow();
  expect(events).toMatchObject([
    {
      action: 'model.try',
      outcome: 'success',
      principal: { name: 'the-writer' },
      resource: { kind: 'ModelEndpoint', namespace: 'default', name: 'm' },
      details: { stored: false, key_given: true, host: new URL(remote.url).host, secret: 'own-key' },
    },
    { action: 'model.try', outcome: 'failed', details: { stored: true, code: 'not_found' } },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/typed-key|Be brief|Hi there/);
});
