// The list of models where there are more systems than one page holds.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

const COUNT = 1_001;

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
  const system = (namespace: string, name: string) => ({ kind: 'AgentSystem', metadata: { namespace, name }, spec: { agents: ['a'] } });
  const systems = [...Array.from({ length: COUNT }, (_, i) => system('aaa', `s${i}`)), system('default', 'zz')];
  for (let i = 0; i < systems.length; i += 500) {
    const { status, text } = await http.send('POST', '/v1/apply', { body: systems.slice(i, i + 500) });
    expect(status, text).toBe(200);
  }
});
afterAll(() => http.close());

test('lists every system as a model', async () => {
  const { status, headers, body } = await http.send('GET', '/v1/models');
  expect([status, headers['content-type'], body.object, body.data.length]).toEqual([200, 'application/json', 'list', COUNT + 1]);
  expect(body.data.at(-1)).toMatchObject({ id: 'zz', object: 'model', owned_by: 'default' });
});
