// The registry of agents where there are more of either kind than one page holds.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

const COUNT = 1_001;

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
  const system = (name: string, auth: string) => ({
    kind: 'AgentSystem',
    metadata: { name },
    spec: { agents: ['a'], a2a: { enabled: true, auth } },
  });
  const tool = (name: string) => ({
    kind: 'Tool',
    metadata: { name },
    spec: { type: 'a2a', a2a: { agent_url: `https://${name}.example` } },
  });
  const objects = [...Array.from({ length: COUNT }, (_, i) => [system(`s${i}`, 'bearer'), tool(`t${i}`)]).flat(), system('open', 'public')];
  for (let i = 0; i < objects.length; i += 500) {
    const { status, text } = await http.send('POST', '/v1/apply', { body: objects.slice(i, i + 500) });
    expect(status, text).toBe(200);
  }
});
afterAll(() => http.close());

test('lists every agent of this server and elsewhere once', async () => {
  const { status, headers, body } = await http.send('GET', '/v1/a2a/agents');
  const count = (agents: readonly { name: string }[]) => new Set(agents.map(({ name }) => name)).size;
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  expect([body.localAgents.length, count(body.localAgents)]).toEqual([COUNT + 1, COUNT + 1]);
  expect([body.remoteAgents.length, count(body.remoteAgents)]).toEqual([COUNT, COUNT]);
});
