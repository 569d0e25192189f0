// Conversations across processes: two servers and two workers on PostgreSQL, a worker that is killed in mid-answer, readers that come back.
import type { SessionEvent } from '@svc/shared/api/sessions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startServerProcess, startWorkerProcess } from '../../server/testing/server-process.ts';
import { sseMessages } from '../../server/testing/sse-messages.ts';

const ADMIN = 'the-long-token-of-the-admin';
const env = { SVC_API_TOKEN: ADMIN };
const headers = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' };
const WORDS = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');

async function send(url: string, path: string, options: { method?: string; body?: unknown; key?: string } = {}) {
  const response = await fetch(`${url}${path}`, {
    method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
    headers: { ...headers, ...(options.key !== undefined && { 'idempotency-key': options.key }) },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Events of a Session's stream after `after`, until one of this type; the connection is cut then. */
async function readUntil(url: string, session: string, { after = 0, type, count = 1 }: { after?: number; type: string; count?: number }) {
  const events: SessionEvent[] = [];
  for await (const { id, data } of sseMessages(`${url}/v1/sessions/${session}/stream`, { ...headers, 'last-event-id': String(after) })) {
    if (id === undefined) continue;
    events.push(data as SessionEvent);
    if (events.filter((event) => event.type === type).length === count) return events;
  }
  throw new Error(`the stream of ${session} ended without ${type}`);
}

function shown(events: readonly SessionEvent[]): string {
  return events.reduce((text, { type, payload }) => {
    if (type === 'message.reset') return '';
    return type === 'message.delta' ? text + String(payload['delta']) : text;
  }, '');
}

describe.skipIf(withoutPostgres('conversations across processes'))('conversations on PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.remove());

  test('a turn survives the loss of its worker in mid-answer, and a reader that comes back on another server ends with the same text', async () => {
    const databaseUrl = await postgres.createDatabase();
    const server = { databaseUrl, env, args: ['--embedded-worker=false'] };
    const [a, b] = await Promise.all([startServerProcess(server), startServerProcess(server)]);
    const worker = (id: string) =>
      startWorkerProcess({ databaseUrl, args: ['--worker-id', id, '--task-lease-duration', '2s', '--task-heartbeat-interval', '500ms'] });
    const ended: { end: (signal: 'SIGKILL') => Promise<unknown> }[] = [a, b];
    try {
      const first = await worker('w1');
      ended.push(first);
      const cases = [
        { when: 'quick', text: 'quick answer' },
        { text: WORDS, pieces: 60, piece_delay: '50ms' },
      ];
      const script = JSON.stringify([{ cases }]);
      for (const [plural, name, spec] of [
        ['model-endpoints', 'slow', { provider: 'mock', options: { script } }],
        ['agents', 'slow', { model_ref: 'slow', prompt: 'Speak.' }],
        ['agent-systems', 'slow', { agents: ['slow'] }],
        ['sessions', 'talk', { system: 'slow' }],
      ] as const)
        expect((await send(a.url, `/v1/${plural}`, { body: { metadata: { name }, spec } })).status).toBe(201);
      expect((await send(a.url, '/v1/sessions/talk/turns', { body: { content: 'quick' }, key: 'k0' })).status).toBe(202);
      const { seq: after = 0, payload: made } = (await readUntil(b.url, 'talk', { type: 'checkpoint.created' })).at(-1)!;
      expect((await send(a.url, '/v1/sessions/talk/turns', { body: { content: 'go' }, key: 'k1' })).status).toBe(202);
      const before = await readUntil(b.url, 'talk', { after, type: 'message.delta', count: 3 });
      await first.end('SIGKILL');
      ended.push(await worker('w2'));
      const rest = await readUntil(a.url, 'talk', { after: before.at(-1)!.seq, type: 'turn.completed' });
      const stayed = await readUntil(b.url, 'talk', { after, type: 'turn.completed' });
      expect([...before, ...rest]).toEqual(stayed);
      expect(stayed.map(({ seq }) => seq)).toEqual(stayed.map((_, index) => after + index + 1));
      const types = stayed.filter(({ type }) => type !== 'message.delta').map(({ type }) => type);
      expect(types.slice(0, 7)).toEqual([
        'message.created',
        'turn.queued',
        'turn.started',
        'turn.retrying',
        'message.reset',
        'session.recovered',
        'turn.started',
      ]);
      expect(stayed.find(({ type }) => type === 'session.recovered')?.payload['checkpoint_id']).toBe(made['checkpoint_id']);
      expect(shown(stayed)).toBe(WORDS);
      const fences = stayed.filter(({ type }) => type === 'turn.started').map(({ payload }) => payload['fence']);
      // A worker whose heartbeat is late claims its Session again, under one more fence.
      expect(fences).toEqual([expect.any(Number), expect.any(Number)]);
      expect(Number(fences[1])).toBeGreaterThan(Number(fences[0]));
      expect((await send(b.url, '/v1/sessions/talk/turns')).body.items).toMatchObject([
        { phase: 'Succeeded', output: { last_output: 'quick answer' } },
        { phase: 'Succeeded', attempt: 2, output: { last_output: WORDS } },
      ]);
    } finally {
      await Promise.all(ended.map((process) => process.end('SIGKILL')));
    }
  });

  test('a stream on one server ends when another server deletes the Session', async () => {
    const server = { databaseUrl: await postgres.createDatabase(), env, args: ['--embedded-worker=false'] };
    const [a, b] = await Promise.all([startServerProcess(server), startServerProcess(server)]);
    try {
      const chat = { metadata: { name: 'chat' }, spec: { agents: ['nobody'] } };
      expect((await send(a.url, '/v1/agent-systems', { body: chat })).status).toBe(201);
      expect((await send(a.url, '/v1/sessions', { body: { metadata: { name: 'talk' }, spec: { system: 'chat' } } })).status).toBe(201);
      const messages: unknown[] = [];
      for await (const { event, data } of sseMessages(`${b.url}/v1/sessions/talk/stream`, headers)) {
        messages.push(event === 'close' ? data : event);
        if (event === 'session.created') expect((await send(a.url, '/v1/sessions/talk', { method: 'DELETE' })).status).toBe(200);
      }
      expect(messages).toEqual(['session.created', { reason: 'session_deleted' }]);
    } finally {
      await Promise.all([a, b].map((process) => process.end('SIGKILL')));
    }
  });
});
