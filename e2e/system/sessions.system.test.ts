// Conversations across processes: two servers and two workers on PostgreSQL, a worker that is killed in mid-answer, readers that come back.
import type { SessionEvent } from '@svc/shared/api/sessions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startServerProcess, startWorkerProcess } from '../../server/testing/server-process.ts';

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
  const response = await fetch(`${url}/v1/sessions/${session}/stream`, {
    headers: { ...headers, 'last-event-id': String(after) },
  });
  expect(response.status).toBe(200);
  const events: SessionEvent[] = [];
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk as Uint8Array).toString();
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
      const [, id] = /^id: (.*)$/m.exec(frame) ?? [];
      if (id === undefined || data === undefined) continue;
      events.push(JSON.parse(data) as SessionEvent);
      if (events.filter((event) => event.type === type).length < count) continue;
      return events;
    }
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
      const script = JSON.stringify([{ text: WORDS, pieces: 60, piece_delay: '50ms' }]);
      for (const [plural, name, spec] of [
        ['model-endpoints', 'slow', { provider: 'mock', options: { script } }],
        ['agents', 'slow', { model_ref: 'slow', prompt: 'Speak.' }],
        ['agent-systems', 'slow', { agents: ['slow'] }],
        ['sessions', 'talk', { system: 'slow' }],
      ] as const)
        expect((await send(a.url, `/v1/${plural}`, { body: { metadata: { name }, spec } })).status).toBe(201);
      expect((await send(a.url, '/v1/sessions/talk/turns', { body: { content: 'go' }, key: 'k1' })).status).toBe(202);
      const before = await readUntil(b.url, 'talk', { type: 'message.delta', count: 3 });
      await first.end('SIGKILL');
      ended.push(await worker('w2'));
      const rest = await readUntil(a.url, 'talk', { after: before.at(-1)!.seq, type: 'turn.completed' });
      const stayed = await readUntil(b.url, 'talk', { type: 'turn.completed' });
      expect([...before, ...rest]).toEqual(stayed);
      expect(stayed.map(({ seq }) => seq)).toEqual(stayed.map((_, index) => index + 1));
      const types = stayed.filter(({ type }) => type !== 'message.delta').map(({ type }) => type);
      expect(types.slice(0, 7)).toEqual([
        'session.created',
        'message.created',
        'turn.queued',
        'turn.started',
        'turn.retrying',
        'message.reset',
        'turn.started',
      ]);
      expect(shown(stayed)).toBe(WORDS);
      const fences = stayed.filter(({ type }) => type === 'turn.started').map(({ payload }) => payload['fence']);
      expect(fences).toEqual([1, 2]);
      expect((await send(b.url, '/v1/sessions/talk/turns')).body.items).toMatchObject([{ phase: 'Succeeded', attempt: 2, output: WORDS }]);
    } finally {
      await Promise.all(ended.map((process) => process.end('SIGKILL')));
    }
  });
});
