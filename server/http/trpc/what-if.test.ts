// Questions about hypothetical documents over real HTTP: permitted callers, and the answer to an invalid document.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture({ apiTokens: 'r1:reader:reader,x1:a2a:a2a:team/research' });
});
afterAll(() => http.close());

const agent = { kind: 'Agent', metadata: { name: 'writer' }, spec: { model_ref: 'fast', tools: ['mail'] } };
const tool = { kind: 'Tool', metadata: { name: 'mail' }, spec: { type: 'http', endpoint: 'https://mail.example' } };
const question = { agent: 'writer', tool: 'mail' };

const ask = (body: object, token = 'reader') =>
  http.send('POST', '/trpc/access.whatIf', {
    body: { namespace: 'team', questions: [question], ...body },
    headers: { authorization: `Bearer ${token}` },
  });

test('a reader is answered, one answer for each question', async () => {
  const { status, body } = await ask({ documents: [agent, tool], questions: [question, { ...question, tool: 'other' }] });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.result.data.map((each: { verdict: string; code?: string }) => [each.verdict, each.code])).toEqual([
    ['allow', undefined],
    ['deny', 'unsupported_tool'],
  ]);
});

test('a document that is wrong comes back with its path', async () => {
  const { status, body } = await ask({ documents: [agent, { ...tool, spec: { type: 'htp' } }] });
  expect(status).toBe(400);
  expect(body.error.data.error.code).toBe('invalid');
  expect(body.error.data.error.details.map(({ path }: { path: string }) => path)).toContain('documents[1].spec.type');
});

test('questions are checked as those of a check are, and are few', async () => {
  expect((await ask({ documents: [], questions: [{ agent: 'writer' }] })).status).toBe(400);
  expect((await ask({ documents: [], questions: Array.from({ length: 65 }, () => question) })).status).toBe(400);
});

test('a token of another surface is not answered', async () => {
  expect((await ask({ documents: [agent, tool] }, 'a2a')).status).toBe(403);
});
