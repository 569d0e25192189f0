// Deliveries over raw sockets: slow and cut bodies, wrong lengths, chunk garbage, large heads. A refused one leaves its count and its line,
// and bytes that are not HTTP leave nothing.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startTestServer } from '../../testing/running-server.ts';

const SECRET = 'topsecret';
const EVENT = '{"event":"push"}';

type Json = Readonly<Record<string, any>>;
const { url, stop } = await startTestServer(['--embedded-worker', 'false']);
atFileEnd(stop);

async function ask(method: string, path: string, body?: unknown): Promise<Json> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return (await answer.json()) as Json;
}

await ask('POST', '/v1/tasks', { metadata: { name: 'template' }, spec: { system: 'sys', mode: 'template' } });
await ask('POST', '/v1/secrets', { metadata: { name: 'key' }, spec: { stringData: { value: SECRET } } });
let hooks = 0;

interface Hook {
  readonly name: string;
  readonly path: string;
}

async function hook(): Promise<Hook> {
  const name = `hook-${(hooks += 1)}`;
  const made = await ask('POST', '/v1/task-webhooks', { metadata: { name }, spec: { task_ref: 'template', auth: { secret_ref: 'key' } } });
  return { name, path: String(made['status'].endpointPath) };
}

/** Runs, counters and listed reasons of the webhook. */
async function stored({ name }: Hook) {
  const { status } = await ask('GET', `/v1/task-webhooks/${name}`);
  const tasks = await ask('GET', `/v1/tasks?limit=100&labelSelector=${encodeURIComponent(`svc.dev/task-webhook=${name}`)}`);
  const { items } = await ask('GET', `/v1/task-webhooks/${name}/deliveries`);
  const { acceptedCount: accepted, rejectedCount: rejected } = status;
  return { runs: tasks['items'].length, accepted, rejected, reasons: items.map(({ reason }: Json) => reason) };
}

/** The same where nothing is expected: counters lag by less than a second (docs/triggers.md). */
async function storedLater(target: Hook) {
  await sleep(1_200);
  return stored(target);
}

const signature = (body: string, time: string) => `sha256=${createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')}`;

function head({ path }: Hook, { id, body = EVENT, extra }: { id: string; body?: string; extra: readonly string[] }): string {
  const time = String(Math.floor(Date.now() / 1000));
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `X-Timestamp: ${time}`,
    `X-Signature: ${signature(body, time)}`,
    `X-Event-Id: ${id}`,
    ...extra,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends the pieces one after the other. Resolves with the status codes once there are that many, or the connection has ended. */
function talk(pieces: readonly string[], { pauseMs = 0, cut = false, answers = 1 } = {}): Promise<number[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    const statuses = () => [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
    const done = () => {
      socket.destroy();
      resolve(statuses());
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (statuses().length >= answers) done();
    });
    socket.on('error', done).on('close', done);
    const write = async () => {
      for (const piece of pieces) {
        if (!socket.destroyed) socket.write(piece);
        await sleep(pauseMs);
      }
      if (cut) socket.destroy();
    };
    socket.on('connect', () => void write());
  });
}

const length = (text: string) => `Content-Length: ${Buffer.byteLength(text)}`;

it('a body in single bytes is accepted once it is whole', async () => {
  const target = await hook();
  expect(await talk([head(target, { id: 'slow', extra: [length(EVENT)] }), ...EVENT], { pauseMs: 5 })).toEqual([202]);
  await expect.poll(() => stored(target)).toEqual({ runs: 1, accepted: 1, rejected: 0, reasons: [null] });
});

it('a body that ends before its length is counted as rejected', async () => {
  const target = await hook();
  expect(
    await talk([head(target, { id: 'cut', extra: [`Content-Length: ${EVENT.length + 10}`] }), EVENT], { pauseMs: 50, cut: true }),
  ).toEqual([]);
  await expect.poll(() => stored(target)).toEqual({ runs: 0, accepted: 0, rejected: 1, reasons: ['the connection ended before the body'] });
});

it('a body that is longer than its length starts no run', async () => {
  const target = await hook();
  const [status] = await talk([`${head(target, { id: 'long', extra: [`Content-Length: ${EVENT.length - 4}`] })}${EVENT}`]);
  // The rest is not a valid request, so it may be answered before the signature is checked.
  expect([400, 401]).toContain(status);
  expect(await storedLater(target)).toMatchObject({ runs: 0, accepted: 0 });
});

it('malformed chunks and two different lengths start no run', async () => {
  const target = await hook();
  const chunked = ['Transfer-Encoding: chunked'];
  const garbage = await talk([`${head(target, { id: 'garbage', extra: chunked })}zz\r\n${EVENT}\r\n0\r\n\r\n`]);
  const two = await talk([`${head(target, { id: 'two', extra: [length(EVENT), 'Content-Length: 3'] })}${EVENT}`]);
  const both = await talk([`${head(target, { id: 'both', extra: [length(EVENT), ...chunked] })}0\r\n\r\n${EVENT}`]);
  expect([garbage, two, both].flat().every((status) => status === 400)).toBe(true);
  expect(await storedLater(target)).toMatchObject({ runs: 0, accepted: 0 });
});

it('a chunked body above the limit is refused before its end', async () => {
  const target = await hook();
  const chunk = `${(256 * 1024).toString(16)}\r\n${'x'.repeat(256 * 1024)}\r\n`;
  const statuses = await talk([head(target, { id: 'large', extra: ['Transfer-Encoding: chunked'] }), chunk, chunk, chunk, chunk, chunk]);
  expect(statuses).toEqual([413]);
  await expect.poll(() => stored(target)).toEqual({ runs: 0, accepted: 0, rejected: 1, reasons: ['the body is too large'] });
});

it('a head that is too large, and a header with a line break in it, reach no webhook', async () => {
  const target = await hook();
  const large = await talk([`${head(target, { id: 'head', extra: [`X-Large: ${'x'.repeat(32 * 1024)}`, length(EVENT)] })}${EVENT}`]);
  const broken = await talk([`${head(target, { id: 'a\rb', extra: [length(EVENT)] })}${EVENT}`]);
  expect([large, broken].flat()).toEqual([400, 400]);
  expect(await storedLater(target)).toEqual({ runs: 0, accepted: 0, rejected: 0, reasons: [] });
});

it('two signatures, and one in other letters or other encoding, are refused', async () => {
  const target = await hook();
  const time = String(Math.floor(Date.now() / 1000));
  const good = signature(EVENT, time);
  const base64 = Buffer.from(good.slice(7), 'hex').toString('base64url');
  const wrong = [good.toUpperCase(), `sha256=${base64}`, `${good}${good.slice(7)}`, good.slice(0, -1), `${good}, ${good}`, good.slice(7)];
  for (const [n, value] of wrong.entries()) {
    const lines = [`POST ${target.path} HTTP/1.1`, 'Host: 127.0.0.1', `X-Timestamp: ${time}`, `X-Signature: ${value}`, `X-Event-Id: e${n}`];
    expect([value, await talk([`${lines.join('\r\n')}\r\n${length(EVENT)}\r\n\r\n${EVENT}`])]).toEqual([value, [401]]);
  }
  await expect.poll(() => stored(target)).toMatchObject({ runs: 0, accepted: 0, rejected: wrong.length });
});

it('deliveries from one address past the limit of requests are refused before a webhook is looked up', async () => {
  const limited = await startTestServer(['--embedded-worker', 'false', '--max-requests-per-second', '1', '--trusted-proxies', '127.0.0.1']);
  const deliver = async (address: string) => {
    const send = () =>
      fetch(`${limited.url}/v1/webhook-deliveries/${'0'.repeat(32)}`, { method: 'POST', headers: { 'x-forwarded-for': address } });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    return answers.map(({ status, headers }) => `${status}${headers.has('retry-after') ? ', later' : ''}`).sort();
  };
  try {
    const first = await deliver('10.0.0.1');
    expect([first.at(0), first.at(-1), new Set(first).size]).toEqual(['404', '429, later', 2]);
    expect((await deliver('10.0.0.2')).at(0)).toBe('404');
  } finally {
    await limited.stop();
  }
});
