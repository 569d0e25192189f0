// Deliveries that the libraries of GitHub and Stripe sign, and those of Slack, against a real server; and signatures made here, checked by those libraries.
import { createHmac } from 'node:crypto';
import { sign, verify } from '@octokit/webhooks-methods';
import collection from '@octokit/webhooks-examples';
import { normalizeTaskWebhook } from '@svc/shared/kinds/task-webhook/rules';
import { signedHeaders } from '@svc/shared/kinds/task-webhook/signing';
import Stripe from 'stripe';
import { describe, expect, it, vi } from 'vitest';
import { startTestServer } from '../../testing/running-server.ts';
import { atFileEnd } from '../../testing/file-end.ts';

const SECRET = "It's a Secret to Everybody";
const STRIPE = {
  profile: 'hmac',
  payload_format: 'timestamp_dot_body',
  header_format: 'kv_pairs',
  signature_header: 'Stripe-Signature',
  timestamp_key: 't',
  signature_key: 'v1',
};
const AT_ONCE = 16;
/** Payloads of one round of deliveries take a while on a busy machine. */
const TIMEOUT_MS = 120_000;

type Json = Readonly<Record<string, unknown>>;

const server = await startTestServer(['--embedded-worker', 'false']);
atFileEnd(server.stop);
const { webhooks: stripe } = new Stripe('sk_test_unused');
const cryptoProvider = Stripe.createNodeCryptoProvider();

async function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<{ status: number; body: Json }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  return { status: answer.status, body: (await answer.json()) as Json };
}

const read = async (path: string): Promise<Json> => (await (await fetch(`${server.url}${path}`)).json()) as Json;

async function createWebhook(name: string, spec: object): Promise<string> {
  const template = { metadata: { name: `${name}-template` }, spec: { system: 'none', mode: 'template' } };
  await post('/v1/tasks', template);
  await post('/v1/secrets', { metadata: { name: `${name}-secret` }, spec: { stringData: { value: SECRET } } });
  const { status, body } = await post('/v1/task-webhooks', { metadata: { name }, spec: { task_ref: `${name}-template`, ...spec } });
  expect(status).toBe(201);
  return (body['status'] as { endpointPath: string }).endpointPath;
}

interface Payload {
  readonly event: string;
  readonly id: string;
  readonly body: string;
}

/** The package is CommonJS, which its types do not say: its default export is the list. */
const definitions = collection as unknown as readonly { readonly name: string; readonly examples: readonly unknown[] }[];
const PAYLOADS: readonly Payload[] = definitions
  .flatMap(({ name, examples: bodies }) => bodies.map((body) => ({ event: name, body: JSON.stringify(body) })))
  .map((payload, i) => ({ ...payload, id: `delivery-${i}` }));

/** Replies in the order of PAYLOADS. */
async function sendAll(path: string): Promise<readonly Json[]> {
  const replies: Json[] = [];
  for (let at = 0; at < PAYLOADS.length; at += AT_ONCE) {
    const sent = PAYLOADS.slice(at, at + AT_ONCE).map(async ({ event, id, body }) => {
      const headers = { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': await sign(SECRET, body) };
      const answer = await post(path, body, headers);
      expect(answer).toMatchObject({ status: 202, body: { accepted: true } });
      return answer.body;
    });
    replies.push(...(await Promise.all(sent)));
  }
  return replies;
}

describe('deliveries of GitHub', () => {
  it('start one run per payload of the collection, and none when all are delivered again', { timeout: TIMEOUT_MS }, async () => {
    const path = await createWebhook('github', { auth: { profile: 'github', secret_ref: 'github-secret' } });
    const first = await sendAll(path);
    const second = await sendAll(path);
    const events = PAYLOADS.filter(({ event }) => event !== 'ping');
    expect(events.length).toBeGreaterThan(300);
    expect(first.filter(({ duplicate }) => duplicate)).toEqual([]);
    expect(second.filter(({ duplicate }) => duplicate)).toHaveLength(events.length);
    expect(second.map(({ task }) => task)).toEqual(first.map(({ task }) => task));
    const { items } = (await read('/v1/tasks?labelSelector=svc.dev/task-webhook%3Dgithub&limit=1000')) as {
      items: { spec: { input: Record<string, string> } }[];
    };
    const received = new Map(items.map(({ spec: { input } }) => [input['webhook_event_id'], input['webhook_payload']]));
    expect(received).toEqual(new Map(events.map(({ id, body }) => [id, body])));
    await vi.waitFor(async () => {
      const pings = PAYLOADS.length - events.length;
      const { status } = await read('/v1/task-webhooks/github');
      expect(status).toMatchObject({ acceptedCount: PAYLOADS.length + pings, duplicateCount: events.length, rejectedCount: 0 });
    }, 20_000);
  });

  it('are signed here as the library of GitHub checks them', async () => {
    const spec = normalizeTaskWebhook({ task_ref: 't', auth: { profile: 'github', secret_ref: 's' } });
    const text = PAYLOADS[0]?.body ?? '';
    const encoder = new TextEncoder();
    const headers: Json = await signedHeaders({ spec, secret: encoder.encode(SECRET), body: encoder.encode(text), now: 0 });
    expect(await verify(SECRET, text, String(headers['X-Hub-Signature-256']))).toBe(true);
  });
});

describe('deliveries of Stripe', () => {
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'charge.succeeded', data: { object: { note: 'é ✓' } } });

  it('start one run per event, and none for another secret or an old time', async () => {
    const spec = { auth: { ...STRIPE, secret_ref: 'stripe-secret' }, idempotency: { event_id_from_body: 'id' } };
    const path = await createWebhook('stripe', spec);
    const send = (secret: string, timestamp = Math.floor(Date.now() / 1000)) => {
      const header = stripe.generateTestHeaderString({ payload, secret, timestamp, scheme: 'v1', signature: '', cryptoProvider });
      return post(path, payload, { 'stripe-signature': header });
    };
    const accepted = { status: 202, body: { accepted: true, event_id: 'evt_1' } };
    expect(await send(SECRET)).toMatchObject({ ...accepted, body: { duplicate: false } });
    expect(await send(SECRET)).toMatchObject({ ...accepted, body: { duplicate: true } });
    expect(await send('another')).toMatchObject({ status: 401 });
    expect(await send(SECRET, Math.floor(Date.now() / 1000) - 600)).toMatchObject({ status: 401 });
  });

  it('signed by this service pass the check of the Stripe library', async () => {
    const spec = normalizeTaskWebhook({ task_ref: 't', auth: { ...STRIPE, secret_ref: 's' } });
    const encoder = new TextEncoder();
    const delivery = { spec, secret: encoder.encode(SECRET), body: encoder.encode(payload), now: Date.now() };
    const headers: Json = await signedHeaders(delivery);
    expect(stripe.constructEvent(payload, String(headers['Stripe-Signature']), SECRET)).toMatchObject({ id: 'evt_1' });
  });
});

describe('deliveries of Slack', () => {
  const SLACK = {
    profile: 'hmac',
    payload_format: 'prefix_timestamp_body',
    payload_prefix: 'v0',
    payload_separator: ':',
    signature_header: 'X-Slack-Signature',
    signature_prefix: 'v0=',
    timestamp_header: 'X-Slack-Request-Timestamp',
  };
  const check = { token: 'z', type: 'url_verification', challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' };
  const signed = (body: unknown, secret = SECRET) => {
    const time = String(Math.floor(Date.now() / 1000));
    const hash = createHmac('sha256', secret)
      .update(`v0:${time}:${JSON.stringify(body)}`)
      .digest('hex');
    return { 'x-slack-signature': `v0=${hash}`, 'x-slack-request-timestamp': time };
  };

  it('get their challenge back when the address is checked, without a run', async () => {
    const path = await createWebhook('slack', {
      auth: { ...SLACK, secret_ref: 'slack-secret' },
      idempotency: { event_id_from_body: 'event_id' },
    });
    expect(await post(path, check, signed(check))).toEqual({ status: 200, body: { challenge: check.challenge } });
    expect(await post(path, check, signed(check, 'another'))).toMatchObject({ status: 401 });
    const other = { ...check, type: 'other' };
    expect(await post(path, other, signed(other))).toMatchObject({ status: 400 });
    const event = { type: 'event_callback', event_id: 'Ev1' };
    expect(await post(path, event, signed(event))).toMatchObject({ status: 202, body: { event_id: 'Ev1' } });
    const { items } = (await read('/v1/task-webhooks/slack/deliveries')) as { items: Json[] };
    expect(items.map(({ outcome, task }) => [outcome, task === null])).toContainEqual(['ping', true]);
  });
});
