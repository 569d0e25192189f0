// Live text across processes: a run on a worker process, made on one server and followed on another, with PostgreSQL between them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startServerProcess, startWorkerProcess } from '../../server/testing/server-process.ts';
import { startSpeakingModel } from '../../server/testing/speaking-model.ts';
import { sseMessages } from '../../server/testing/sse-messages.ts';

const ADMIN = 'the-admin-token';
const env = { SVC_API_TOKEN: ADMIN };

describe.skipIf(withoutPostgres('live text across processes'))('live text on PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.remove());

  test('a reader on another server gets the text of a run on a worker before the call ends', async () => {
    const databaseUrl = await postgres.createDatabase();
    const model = await startSpeakingModel();
    const [a, b] = await Promise.all([startServerProcess({ databaseUrl, env }), startServerProcess({ databaseUrl, env })]);
    const worker = await startWorkerProcess({ databaseUrl, args: ['--worker-id', 'w1'] });
    try {
      const put = async (plural: string, name: string, spec: object) => {
        const headers = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ metadata: { name }, spec });
        expect((await fetch(`${a.url}/v1/${plural}`, { method: 'POST', headers, body })).status).toBe(201);
      };
      await put('model-endpoints', 'speaker', model.spec);
      await put('agents', 'speaker', { model_ref: 'speaker', prompt: 'Speak.' });
      await put('agent-systems', 'speaker', { agents: ['speaker'] });
      await put('tasks', 'speech', { system: 'speaker' });
      await model.called();
      model.say('Once upon');
      let text = '';
      let beforeTheEnd = '';
      const types: unknown[] = [];
      for await (const { event, data } of sseMessages(`${b.url}/v1/tasks/speech/trace/stream`, { authorization: `Bearer ${ADMIN}` })) {
        if (event === 'trace') types.push(data['type']);
        if (event !== 'delta') continue;
        text = text.slice(0, Number(data['at'])) + String(data['text']);
        if (text === 'Once upon') model.say(' a time 😀');
        if (text === 'Once upon a time 😀') {
          beforeTheEnd = text;
          expect(types).not.toContain('model_output');
          model.finish();
        }
      }
      expect(beforeTheEnd).toBe('Once upon a time 😀');
      expect(types.at(-1)).toBe('task_summary');
    } finally {
      await Promise.all([a, b, worker].map((process) => process.end('SIGKILL')));
      await model.close();
    }
  });
});
