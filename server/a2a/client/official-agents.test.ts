// Tools of type a2a against agents on the official servers of A2A 0.3 and 1.0, unmodified, and against this service's own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAgentPort } from '../../testing/a2a/agent-port.ts';
import { createAgents, tokenOf, tokens, type Agents } from '../../testing/a2a/agents.ts';
import { startAgentV03, startAgentV1, type SdkAgent } from '../../testing/a2a/sdk-agents.ts';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';
import { callFailure } from '../../testing/tool-deps.ts';

const port = openAgentPort({ token: tokenOf('writer') });
afterAll(() => port.close());

describe.each([
  ['0.3', startAgentV03],
  ['1.0', startAgentV1],
])('an agent on the official server of A2A %s', (_version, start) => {
  let agent: SdkAgent;
  beforeAll(async () => {
    agent = await start();
  });
  afterAll(() => agent.close());

  test.each([false, true])('answers with its text, task and context (streaming %s)', async (prefer_streaming) => {
    expect(await port.call(agent.url, { a2a: { prefer_streaming } })).toEqual({
      // These servers keep the pieces of a streamed text as parts of their own.
      text: prefer_streaming ? 'you said hello' : 'you said \nhello',
      task_id: expect.any(String),
      context_id: expect.any(String),
      state: 'completed',
    });
  });

  test.each([false, true])('is followed until its work is done, with its progress (streaming %s)', async (prefer_streaming) => {
    const progress: string[] = [];
    const onProgress = ({ message }: { message: string }) => void progress.push(message);
    const answer = await port.call(agent.url, { a2a: { prefer_streaming }, input: { message: 'slow' }, onProgress });
    expect([answer['text'].replace('\n', ''), progress]).toEqual(['you said slow', ['on it']]);
  });

  test('answers with a message instead of a task', async () => {
    expect(await port.call(agent.url, { input: { message: 'reply' } })).toMatchObject({ text: 'a reply', state: 'completed' });
  });

  test('receives data in addition to text, and answers with data and a file', async () => {
    const answer = await port.call(agent.url, { input: { message: 'data', data: { ship: 'Ada' } } });
    expect(answer).toMatchObject({ text: '', data: { got: 2 }, files: [{ name: 'f.txt', media_type: 'text/plain', bytes: 'aGk=' }] });
  });

  test('continues the context that the input names', async () => {
    const first = await port.call(agent.url);
    const second = await port.call(agent.url, { input: { message: 'again', context_id: first['context_id'] } });
    expect(second['context_id']).toBe(first['context_id']);
    expect(second['task_id']).not.toBe(first['task_id']);
  });

  test.each([
    ['ask', 'input_required', 'requires input', 'Which port?'],
    ['fail', 'remote_failed', 'failed', 'out of coal'],
  ])('ends a call with "%s" in the typed error %s', async (message, reason, verb, said) => {
    const error = await callFailure(port.call(agent.url, { input: { message } }));
    expect(error).toMatchObject({ code: 'execution_failed', reason, retryable: false });
    expect(error.message).toContain(verb);
    expect(error.message).toContain(said);
  });

  test.each([false, true])('receives a cancel when the time of the call is up (streaming %s)', async (prefer_streaming) => {
    const before = agent.canceled.length;
    const error = await callFailure(port.call(agent.url, { a2a: { prefer_streaming }, input: { message: 'hang' }, timeout: '400ms' }));
    expect(error.code).toBe('timeout');
    await expect.poll(() => agent.canceled.length).toBe(before + 1);
  });
});

describe('an agent of this service', () => {
  let server: TestServer;
  let agents: Agents;
  beforeAll(async () => {
    server = await startTestServer(['--allow-private-tool-endpoints'], { SVC_API_TOKENS: tokens });
    agents = await createAgents(server.url);
  }, 30_000);
  afterAll(() => server.stop());

  const auth = { profile: 'bearer', secretRef: 'token' };

  test.each([
    ['1.0', false],
    ['1.0', true],
    ['0.3', false],
    ['0.3', true],
    ['spec', false],
    ['spec', true],
  ])('answers in version %s (streaming %s)', async (protocol_version, prefer_streaming) => {
    const answer = await port.call(agents.endpoint('slow'), { auth, a2a: { protocol_version, prefer_streaming } });
    expect(answer).toMatchObject({ text: 'one two three four five six seven eight nine ten', state: 'completed' });
  });

  test('is found by the address of its endpoint, of its card and of its system', async () => {
    const system = `${server.url}/v1/agent-systems/json`;
    for (const url of [`${system}/a2a`, `${system}/.well-known/agent-card.json`, `${system}/`])
      expect(await port.call(url, { auth })).toMatchObject({ data: { answer: 42 }, state: 'completed' });
  });

  test.each(['1.0', '0.3', 'spec'])('ends a call that waits for an approval with its question (version %s)', async (protocol_version) => {
    const error = await callFailure(port.call(agents.endpoint('asker'), { auth, a2a: { protocol_version } }));
    expect(error.reason).toBe('input_required');
    expect(error.message).toContain('waits for a decision');
  });

  test.each(['1.0', '0.3', 'spec'])('is canceled with its caller (version %s)', async (protocol_version) => {
    const caller = new AbortController();
    const input = { message: `cancel-${protocol_version}` };
    const pending = callFailure(port.call(agents.endpoint('hangs'), { auth, a2a: { protocol_version }, input, signal: caller.signal }));
    const runs = async () =>
      (await agents.get('/v1/tasks?limit=1000')).items.filter(({ spec }: any) => spec.input.message === input.message) as any[];
    await expect.poll(async () => (await runs()).map(({ status }) => status.phase)).toEqual(['Running']);
    caller.abort();
    expect((await pending).code).toBe('canceled');
    await expect.poll(async () => (await runs()).map(({ status }) => status.reason)).toEqual(['cancelled']);
  });

  test('refuses a call without its credentials with an error that names them', async () => {
    expect(await callFailure(port.call(agents.endpoint('echo')))).toMatchObject({ code: 'auth_invalid', reason: 'http_401' });
  });
});
