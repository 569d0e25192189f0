// The same requests to two servers of one PostgreSQL at the same time.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, withoutPostgres, type PostgresServer } from '../testing/postgres-server.ts';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { sessionClient } from '../testing/session-client.ts';

const ROUNDS = 8;

describe.skipIf(withoutPostgres('requests to two servers at once'))('on two servers of one PostgreSQL', () => {
  let postgres: PostgresServer;
  let databaseUrl = '';
  let servers: TestServer[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    await startServers();
    const { write } = clients()[0]!;
    await write('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
    await write('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
    await write('agent-systems', 'chat', { agents: ['assistant'], a2a: { enabled: true, authentication: 'none' } });
  });
  afterAll(async () => {
    await stopServers();
    await postgres.remove();
  });

  const startServers = async () => {
    const flags = ['--database-url', databaseUrl];
    servers = [await startTestServer([...flags, '--embedded-worker=true']), await startTestServer([...flags, '--embedded-worker=false'])];
  };
  const stopServers = () => Promise.all(servers.splice(0).map((server) => server.stop()));

  const clients = () => servers.map((server) => sessionClient(() => server.url));
  const toBoth = (path: string, bodies: readonly unknown[], headers: Record<string, string> = {}) =>
    Promise.all(bodies.map((body, i) => clients()[i % 2]!.send('POST', path, body, headers)));
  const role = (name: string, description: string) => ({
    apiVersion: 'svc.dev/v1',
    kind: 'AgentRole',
    metadata: { name },
    spec: { description, permissions: ['work'] },
  });

  const memory = (name: string, type: string) => ({ apiVersion: 'svc.dev/v1', kind: 'Memory', metadata: { name }, spec: { type } });

  test('applies of the same new objects all succeed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const documents = Array.from({ length: 10 }, (_, i) => role(`new-${round}-${i}`, 'a role'));
      const answers = await toBoth('/v1/apply', [documents, documents]);
      expect(answers.map(({ status, body }) => [status, body.error?.message])).toEqual([
        [200, undefined],
        [200, undefined],
      ]);
    }
  });

  test('applies of the same objects in opposite orders all succeed', async () => {
    const documents = (text: string) => Array.from({ length: 10 }, (_, i) => role(`old-${i}`, text));
    await toBoth('/v1/apply', [documents('first')]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await toBoth('/v1/apply', [
        documents(`a${round}`),
        documents(`b${round}`).reverse(),
        documents(`c${round}`),
        documents(`d${round}`).reverse(),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  });

  test('chats with one Idempotency-Key are one Session on both servers', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = { model: 'chat', messages: [{ role: 'user', content: `hello ${round}` }] };
      const answers = await toBoth('/v1/chat/completions', [body, body, body, body], { 'idempotency-key': `k${round}` });
      expect(answers.map(({ status, body: answer }) => [status, answer.error])).toEqual(Array(4).fill([200, undefined]));
    }
    const { body } = await clients()[0]!.send('GET', '/v1/sessions');
    expect(body).toHaveLength(ROUNDS);
  });

  test('A2A tasks with one client id are one Task on both servers', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const message = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };
      const call = { jsonrpc: '2.0', id: 1, method: 'tasks/send', params: { id: `order-${round}`, system: 'chat', message } };
      const answers = await toBoth('/a2a', [call, call, call, call]);
      expect(answers.map(({ body }) => body.error)).toEqual(Array(4).fill(undefined));
    }
  });

  test('applies of the same new objects in opposite orders, and writes of single ones, all succeed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const documents = Array.from({ length: 20 }, (_, i) => (i % 2 ? role : memory)(`either-${round}-${i}`, 'of a test'));
      const answers = await Promise.all([
        toBoth('/v1/apply', [documents, [...documents].reverse(), documents, [...documents].reverse()]),
        toBoth(
          '/v1/apply',
          documents.slice(-5).map((document) => [document]),
        ),
      ]);
      expect(answers.flat().map(({ status }) => status)).toEqual(Array(9).fill(200));
    }
  });

  test('none of these waited for each other in vain', async () => {
    // PostgreSQL counts them when connections end.
    await stopServers();
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const { rows } = await database.query('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()');
    await database.end();
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });
});
