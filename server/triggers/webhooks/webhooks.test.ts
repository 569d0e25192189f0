// Webhooks over HTTP on real servers: each event starts one run, on any number of servers, and deliveries that are not genuine are refused.
import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import { startTestServer } from '../../testing/running-server.ts';

const FLAGS = ['--embedded-worker', 'false'];
const SECRET = 'topsecret';
const EVENT = '{"event":"push","id":"evt-1"}';

type Json = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** One server on SQLite, or two on one PostgreSQL. */
async function startServers(engine: 'SQLite' | 'PostgreSQL'): Promise<readonly string[]> {
  if (engine === 'SQLite') {
    const server = await startTestServer(FLAGS);
    atFileEnd(server.stop);
    return [server.url];
  }
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  const servers = await Promise.all(['a', 'b'].map((id) => startTestServer([...FLAGS, '--database-url', url, '--worker-id', id])));
  atFileEnd(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await postgres.remove();
  });
  return servers.map((server) => server.url);
}

async function ask(method: string, url: string, body?: unknown): Promise<Answer> {
  const headers = body === undefined ? {} : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: (await answer.json()) as Json };
}

let names = 0;
const template = { system: 'sys', mode: 'template', input: { topic: 'tides', webhook_payload: 'from the template' } };

class World {
  readonly servers: readonly string[];
  constructor(servers: readonly string[]) {
    this.servers = servers;
  }

  /** Applies objects to the first server. */
  async apply(kind: string, name: string, spec: object): Promise<void> {
    const answer = await ask('POST', `${this.servers[0]}/v1/${kind}`, { metadata: { name, labels: { team: 'a' } }, spec });
    expect(answer).toMatchObject({ status: 201 });
  }

  /** A webhook with a template and a secret of its own; resolves with its name and path once it is ready. */
  async webhook(spec: object = {}, auth: object = {}): Promise<{ name: string; path: string }> {
    const name = `hook-${(names += 1)}`;
    await this.apply('tasks', `${name}-template`, template);
    await this.apply('secrets', `${name}-secret`, { stringData: { value: SECRET } });
    await this.apply('task-webhooks', name, { task_ref: `${name}-template`, auth: { secret_ref: `${name}-secret`, ...auth }, ...spec });
    const status = await this.status(name, { phase: 'Ready' });
    return { name, path: String(status['endpointPath']) };
  }

  async status(name: string, expected: object): Promise<Json> {
    return vi.waitFor(async () => {
      const { body } = await ask('GET', `${this.servers[0]}/v1/task-webhooks/${name}`);
      expect(body['status']).toMatchObject(expected);
      return body['status'] as Json;
    }, 20_000);
  }

  async deliveries(name: string): Promise<readonly Json[]> {
    return (await ask('GET', `${this.servers.at(-1)}/v1/task-webhooks/${name}/deliveries`)).body['items'] as Json[];
  }

  async send(
    path: string,
    body: string | Uint8Array<ArrayBuffer> = EVENT,
    headers: Readonly<Record<string, string>> = {},
    server = 0,
  ): Promise<Answer> {
    const time = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', SECRET)
      .update(`${time}.`)
      .update(typeof body === 'string' ? Buffer.from(body) : body)
      .digest('hex');
    const signed = { 'x-timestamp': time, 'x-signature': `sha256=${signature}`, 'x-event-id': 'evt-1', ...headers };
    const answer = await fetch(`${this.servers[server % this.servers.length]}${path}`, { method: 'POST', headers: signed, body });
    return { status: answer.status, body: (await answer.json()) as Json };
  }

  async tasks(name: string): Promise<readonly Json[]> {
    const selector = encodeURIComponent(`svc.dev/task-webhook=${name}`);
    return (await ask('GET', `${this.servers[0]}/v1/tasks?labelSelector=${selector}&limit=1000`)).body['items'] as Json[];
  }
}

const engines = (['SQLite', 'PostgreSQL'] as const).filter((engine) => engine === 'SQLite' || !withoutPostgres('webhooks over PostgreSQL'));

describe.each(engines)('webhooks over %s', (engine) => {
  let servers: Promise<readonly string[]> | undefined;
  const world = async () => new World(await (servers ??= startServers(engine)));

  it('start one run for an event, with the payload, the labels and the creators of its cause', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    expect(path).toMatch(/^\/v1\/webhook-deliveries\/[0-9a-f]{32}$/);
    const answer = await hooks.send(path);
    expect(answer).toMatchObject({ status: 202, body: { accepted: true, duplicate: false, event_id: 'evt-1' } });
    const task = String(answer.body['task']);
    expect(task).toMatch(new RegExp(`^default/${name}-[0-9a-f]{16}$`));
    expect(await hooks.send(path)).toMatchObject({ status: 202, body: { accepted: true, duplicate: true, task } });
    const [run, ...others] = await hooks.tasks(name);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      metadata: {
        labels: { 'svc.dev/created-by': 'webhook', 'svc.dev/task-webhook': name, 'svc.dev/webhook-event-id': 'evt-1', team: 'a' },
        createdBy: 'system:triggers',
      },
      spec: {
        mode: 'run',
        system: 'sys',
        input: { topic: 'tides', webhook_payload: EVENT, webhook_event_id: 'evt-1', webhook_source: name },
      },
    });
    const status = await hooks.status(name, { acceptedCount: 1, duplicateCount: 1, rejectedCount: 0 });
    expect(status).toMatchObject({ lastEventID: 'evt-1', lastTriggeredTask: task, endpointPath: path });
    const listed = await hooks.deliveries(name);
    expect(listed.map(({ outcome, task: of, event_id }) => [outcome, of, event_id])).toEqual([
      ['duplicate', task, 'evt-1'],
      ['accepted', task, 'evt-1'],
    ]);
  });

  it.each([{ profile: 'generic' }, { profile: 'github' }, { profile: 'shared_token', signature_header: 'X-Token' }])(
    'take a test that the server signs for %j',
    async (auth) => {
      const hooks = await world();
      const { name } = await hooks.webhook({}, auth);
      const input = { namespace: 'default', name, body: EVENT, eventId: 'evt-test' };
      const { status, body } = await ask('POST', `${hooks.servers[0]}/trpc/webhooks.test`, input);
      expect(status).toBe(200);
      expect(body).toMatchObject({ result: { data: { accepted: true, duplicate: false, event_id: 'evt-test' } } });
      expect(await hooks.tasks(name)).toMatchObject([{ spec: { input: { webhook_payload: EVENT, webhook_event_id: 'evt-test' } } }]);
      expect(await hooks.deliveries(name)).toMatchObject([{ outcome: 'accepted', reason: 'a test by anonymous' }]);
      expect(JSON.stringify(body)).not.toContain(SECRET);
    },
  );

  it.each(['\u65e5\u672c', 'x\ny'])('send no test with the event id %j, which no header takes', async (eventId) => {
    const hooks = await world();
    const { name } = await hooks.webhook();
    const input = { namespace: 'default', name, body: EVENT, eventId };
    const { status, body } = await ask('POST', `${hooks.servers[0]}/trpc/webhooks.test`, input);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('eventId');
  });

  it('send no test whose Secret is missing, and name the Secret', async () => {
    const hooks = await world();
    const { name } = await hooks.webhook();
    await ask('DELETE', `${hooks.servers[0]}/v1/secrets/${name}-secret`);
    const input = { namespace: 'default', name, body: EVENT, eventId: 'evt-test' };
    const test = async () => {
      const { status, body } = await ask('POST', `${hooks.servers[0]}/trpc/webhooks.test`, input);
      return `${status} ${JSON.stringify(body)}`;
    };
    await expect.poll(test).toMatch(new RegExp(`^409 .*${name}-secret`));
  });

  it('report in the event log which deliveries had a run, and nothing of refused ones', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const { body } = await hooks.send(path);
    const task = String(body['task']);
    await hooks.send(path);
    await hooks.send(path, EVENT, { 'x-signature': 'sha256=00' });
    await hooks.status(name, { acceptedCount: 1, duplicateCount: 1, rejectedCount: 1 });
    const { body: events } = await ask('GET', `${hooks.servers[0]}/v1/events?kind=TaskWebhook&name=${name}&limit=100`);
    const facts = (events['items'] as Json[]).filter(({ source }) => source === 'triggers');
    const fact = { kind: 'TaskWebhook', namespace: 'default', name, data: { event_id: 'evt-1', task } };
    expect(facts).toMatchObject([
      { ...fact, type: 'taskwebhook.delivery.accepted', action: 'accepted', message: `started the run ${task}` },
      { ...fact, type: 'taskwebhook.delivery.duplicate', action: 'duplicate', message: `the event has its run ${task}` },
    ]);
  });

  it('start one run for 50 equal deliveries at once on every server', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const answers = await Promise.all(Array.from({ length: 50 }, (_each, n) => hooks.send(path, EVENT, {}, n)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(answers.filter(({ body }) => body['duplicate'] === false)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body['task'])).size).toBe(1);
    expect(await hooks.tasks(name)).toHaveLength(1);
    await hooks.status(name, { acceptedCount: 1, duplicateCount: 49 });
  });

  it('start a run for each of many events at once', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const deliver = async (n: number): Promise<void> => {
      const { status } = await hooks.send(path, EVENT, { 'x-event-id': `e${n}` }, n);
      // All connections to the database may be busy on a busy machine; a sender tries again.
      if (status === 503) return deliver(n);
      expect(status).toBe(202);
    };
    await Promise.all(Array.from({ length: 30 }, (_each, n) => deliver(n)));
    expect(await hooks.tasks(name)).toHaveLength(30);
    await hooks.status(name, { acceptedCount: 30, duplicateCount: 0 });
  });

  it('refuse a forged delivery and record only its count and its line in the list', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const refused = [
      await hooks.send(path, EVENT, { 'x-signature': 'sha256=00' }),
      await hooks.send(path, EVENT, { 'x-timestamp': '1' }),
      await hooks.send(path, EVENT, { 'x-event-id': ' ' }),
      await hooks.send(path, EVENT, { 'x-event-id': 'e'.repeat(513) }),
      await hooks.send(path, 'x'.repeat(1024 * 1024 + 1)),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 400, 400, 413]);
    expect(JSON.stringify(refused)).not.toMatch(new RegExp(`${SECRET}|${name}`));
    expect(await hooks.send(`${path.slice(0, -1)}x`)).toMatchObject({ status: 404 });
    expect(await hooks.send(path.replace(/[0-9a-f]{32}$/, '0'.repeat(32)))).toMatchObject({ status: 404 });
    await hooks.status(name, { rejectedCount: 5, acceptedCount: 0, phase: 'Ready' });
    expect((await hooks.deliveries(name)).map(({ reason }) => reason)).toEqual([
      'the body is too large',
      expect.stringContaining('at most 512'),
      'the event id is missing',
      expect.stringContaining('does not match'),
      expect.stringContaining('does not match'),
    ]);
    expect(await hooks.tasks(name)).toEqual([]);
  });

  it('are refused while suspended, at once', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const url = `${hooks.servers[0]}/v1/task-webhooks/${name}`;
    expect((await ask('PATCH', url, { spec: { suspend: true } })).status).toBe(200);
    expect(await hooks.send(path)).toMatchObject({ status: 409 });
    await hooks.status(name, { phase: 'Suspended', rejectedCount: 1 });
    expect((await ask('PATCH', url, { spec: { suspend: false } })).status).toBe(200);
    expect(await hooks.send(path)).toMatchObject({ status: 202 });
    await hooks.status(name, { phase: 'Ready', acceptedCount: 1, endpointPath: path });
  });

  it('report in lastError that the template or the secret is missing, and work once it exists', async () => {
    const hooks = await world();
    const name = `late-${(names += 1)}`;
    await hooks.apply('task-webhooks', name, { task_ref: `${name}-template`, auth: { secret_ref: `${name}-secret` } });
    const { endpointPath: path } = await hooks.status(name, {
      phase: 'Error',
      lastError: `template Task default/${name}-template does not exist, or is not a template (spec.mode: template)`,
    });
    expect(await hooks.send(String(path))).toMatchObject({ status: 401 });
    await hooks.apply('tasks', `${name}-template`, { ...template, mode: 'run' });
    await hooks.apply('secrets', `${name}-secret`, { stringData: { value: SECRET } });
    expect(await hooks.send(String(path))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('the owner') as string } },
    });
    await hooks.status(name, { phase: 'Error', lastError: expect.stringContaining('is not a template') as string, rejectedCount: 2 });
    const failed = (await hooks.deliveries(name)).find(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject({ outcome: 'failed', event_id: 'evt-1', reason: expect.stringContaining('is not a template') as string });
    const task = `${hooks.servers[0]}/v1/tasks/${name}-template`;
    expect((await ask('PATCH', task, { spec: { mode: 'template' } })).status).toBe(200);
    await hooks.status(name, { phase: 'Ready' });
    const again = `${hooks.servers[0]}/v1/task-webhooks/${name}/deliveries/${String(failed?.['id'])}/redeliver`;
    const started = await ask('POST', again);
    expect(started).toMatchObject({ status: 202, body: { task: expect.stringMatching(`^default/${name}-`) as string } });
    expect((await hooks.tasks(name))[0]).toMatchObject({ spec: { input: { webhook_payload: EVENT } } });
    // The sender retries what was refused to it.
    const { task: run } = started.body;
    expect(await hooks.send(String(path))).toMatchObject({ status: 202, body: { duplicate: true, task: run } });
  });

  it('report in lastError alone that the secret has no usable key, and work once it has one', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const secret = `${hooks.servers[0]}/v1/secrets/${name}-secret`;
    const patch = (stringData: object, data?: object) => ask('PATCH', secret, { spec: { stringData, ...(data && { data }) } });
    expect((await patch({ a: SECRET, b: SECRET }, { value: null })).status).toBe(200);
    const lastError = `Secret default/${name}-secret has the keys a, b; to be used as one value it needs the key "value" or exactly one key`;
    await hooks.status(name, { phase: 'Error', lastError });
    const answer = await hooks.send(path);
    expect(answer.status).toBe(401);
    expect(JSON.stringify(answer.body)).not.toContain('key');
    await hooks.status(name, { rejectedCount: 1, lastError });
    expect((await patch({ value: SECRET })).status).toBe(200);
    expect(await hooks.status(name, { phase: 'Ready' })).not.toHaveProperty('lastError');
    expect(await hooks.send(path)).toMatchObject({ status: 202 });
  });

  it('are delivered again by hand as another run, unless they were rejected', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const first = await hooks.send(path);
    await hooks.send(path, EVENT, { 'x-signature': 'x' });
    await hooks.status(name, { rejectedCount: 1 });
    const [rejected, accepted] = await hooks.deliveries(name);
    const redeliver = (id: unknown) => ask('POST', `${hooks.servers[0]}/v1/task-webhooks/${name}/deliveries/${String(id)}/redeliver`);
    expect(await redeliver(rejected?.['id'])).toMatchObject({ status: 409 });
    for (const id of [99, 'nope']) expect(await redeliver(id)).toMatchObject({ status: 404 });
    expect(await redeliver(accepted?.['id'])).toMatchObject({ status: 202, body: { task: `${String(first.body['task'])}-2` } });
    expect((await hooks.tasks(name)).map((task) => (task['spec'] as Json)['input'])).toEqual([
      expect.objectContaining({ webhook_payload: EVENT }),
      expect.objectContaining({ webhook_payload: EVENT }),
    ]);
  });

  it('take the defaults of a profile that a patch changes them to', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const url = `${hooks.servers[0]}/v1/task-webhooks/${name}`;
    const patch = async (profile: string) => {
      const answer = await ask('PATCH', url, { spec: { auth: { profile } } });
      expect(answer.status).toBe(200);
      return answer.body['spec'];
    };
    const generic = (await ask('GET', url)).body['spec'];
    expect(await patch('github')).toMatchObject({
      auth: { profile: 'codehost', signature_header: 'X-Hub-Signature-256' },
      idempotency: { event_id_header: 'X-CodeHost-Delivery', dedupe_window_seconds: 259_200 },
    });
    const signature = `sha256=${createHmac('sha256', SECRET).update(EVENT).digest('hex')}`;
    const delivery = { 'x-hub-signature-256': signature, 'x-github-delivery': 'd1' };
    expect(await hooks.send(path, EVENT, delivery)).toMatchObject({ status: 202, body: { event_id: 'd1' } });
    expect(await patch('generic')).toEqual(generic);
  });

  it('keep no event ids with a window of 0', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook({ idempotency: { dedupe_window_seconds: 0 } });
    const tasks = [await hooks.send(path), await hooks.send(path)].map(({ body }) => String(body['task']));
    expect(tasks[1]).toBe(`${tasks[0]}-2`);
    expect(await hooks.tasks(name)).toHaveLength(2);
  });

  it('read the event id from the body as it is written, and hand over bodies that are not text as base64', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook({ idempotency: { event_id_from_body: 'data.id' }, payload: { input_key: 'event' } });
    const send = (body: string | Uint8Array<ArrayBuffer>, id = '') => hooks.send(path, body, { 'x-event-id': id });
    expect(await send('{"data":{"id":12345678901234567890}}')).toMatchObject({ status: 202, body: { event_id: '12345678901234567890' } });
    expect(await send('{"data":{"id":null}}')).toMatchObject({ status: 400 });
    expect(await send('[1]')).toMatchObject({ status: 400 });
    expect(await send('{"data":{"id":"from body"}}', 'from header')).toMatchObject({ status: 202, body: { event_id: 'from header' } });
    expect(await send(new Uint8Array([0xff, 0, 1]), 'bytes')).toMatchObject({ status: 202 });
    const inputs = (await hooks.tasks(name)).map((task) => (task['spec'] as Json)['input'] as Json);
    expect(inputs).toContainEqual(
      expect.objectContaining({ event: '/wAB', webhook_payload_encoding: 'base64', webhook_payload: 'from the template' }),
    );
  });

  it.each(['a\\ud800', 'a\\u0000'])('refuse the event id "%s" of a body with 400, and count the delivery', async (id) => {
    const hooks = await world();
    const { name, path } = await hooks.webhook({ idempotency: { event_id_from_body: 'id' } });
    const refused = await hooks.send(path, `{"id":"${id}"}`, { 'x-event-id': '' });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('The event id must be at most 512') } },
    });
    await hooks.status(name, { rejectedCount: 1, acceptedCount: 0, phase: 'Ready' });
    expect(await hooks.deliveries(name)).toMatchObject([{ outcome: 'rejected', reason: expect.stringContaining('unpaired surrogates') }]);
    expect(await hooks.tasks(name)).toEqual([]);
  });

  it('take 1 MiB of bytes that are not text, and hand them over again', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    const body = new Uint8Array(1024 * 1024).fill(0xff);
    expect(await hooks.send(path, body)).toMatchObject({ status: 202 });
    const [delivery] = await hooks.deliveries(name);
    const redeliver = `${hooks.servers[0]}/v1/task-webhooks/${name}/deliveries/${String(delivery?.['id'])}/redeliver`;
    expect(await ask('POST', redeliver)).toMatchObject({ status: 202 });
    const webhook_payload = Buffer.from(body).toString('base64');
    for (const { spec } of await hooks.tasks(name)) expect((spec as Json)['input']).toMatchObject({ webhook_payload });
    expect(await hooks.send(path, new Uint8Array(1024 * 1024 + 1), { 'x-event-id': 'more' })).toMatchObject({ status: 413 });
  });

  it('answer 404 once they are deleted; a new one of the same name has another endpoint', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    await hooks.send(path);
    expect((await ask('DELETE', `${hooks.servers[0]}/v1/task-webhooks/${name}`)).status).toBe(200);
    expect(await hooks.send(path)).toMatchObject({ status: 404 });
    await hooks.apply('task-webhooks', name, { task_ref: `${name}-template`, auth: { secret_ref: `${name}-secret` } });
    const { endpointPath } = await hooks.status(name, { phase: 'Ready', acceptedCount: 0 });
    expect(endpointPath).not.toBe(path);
    expect(await hooks.deliveries(name)).toEqual([]);
  });

  it('accept a ping of GitHub without a run, and its header for the event id', async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook({}, { profile: 'github' });
    const sign = (body: string) => ({ 'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}` });
    const ping = await hooks.send(path, '{"zen":"x"}', { ...sign('{"zen":"x"}'), 'x-github-event': 'ping', 'x-github-delivery': 'd0' });
    expect(ping).toMatchObject({ status: 202, body: { accepted: true, duplicate: false, task: null } });
    const push = await hooks.send(path, EVENT, { ...sign(EVENT), 'x-github-event': 'push', 'x-github-delivery': 'd1' });
    expect(push).toMatchObject({ status: 202, body: { event_id: 'd1', duplicate: false } });
    expect(await hooks.tasks(name)).toHaveLength(1);
  });

  // A hundred deliveries take 5 s on PostgreSQL while other processes share the machine, and more than half a minute at times.
  it('list the newest 100 deliveries and count all', { timeout: 120_000 }, async () => {
    const hooks = await world();
    const { name, path } = await hooks.webhook();
    for (let n = 0; n < 104; n += 1) await hooks.send(path, EVENT, { 'x-event-id': n < 2 ? `e${n}` : 'e0' }, n);
    await hooks.status(name, { acceptedCount: 2, duplicateCount: 102 });
    const listed = await hooks.deliveries(name);
    expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_each, n) => String(104 - n)));
  });
});
