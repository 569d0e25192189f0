import { afterEach, expect, test } from 'vitest';
import { fakeIsolation } from '../../testing/fake-isolation.ts';
import { callFailure, toolCall, toolConfig, toolDeps } from '../../testing/tool-deps.ts';
import { createToolPort } from '../create-tool-port.ts';

const VALUES: Record<string, string> = { token: 'hunter2-secret', login: 'user:pass-word' };
const secrets = {
  resolveValue: (ref: string) => Promise.resolve(VALUES[ref] ?? ''),
  resolveEntries: (ref: string) => Promise.resolve({ value: VALUES[ref] ?? '' }),
};
const engine = fakeIsolation();
afterEach(() => {
  engine.runs.length = 0;
  engine.next = {};
});

function invoke(spec: Record<string, unknown>, containerImage: string | undefined = 'tools:1') {
  const port = createToolPort({ ...toolDeps(), secrets, config: toolConfig({ containerImage }), isolation: engine.isolation });
  const runtime = { isolation_mode: 'sandboxed' };
  return port.invoke(toolCall({ type: 'external', runtime, ...spec }), { signal: new AbortController().signal });
}

const reply = (value: object) => ({ stdout: JSON.stringify(value) });
const OK = reply({ status: 'ok', output: { result: { found: 2 } } });

test('the image gets the request on its input and answers with a reply on its output', async () => {
  engine.next = OK;
  const outcome = await invoke({ endpoint: 'https://search.example/q', operation_classes: ['read'] });
  expect(outcome).toEqual({
    output: '{"found":2}',
    attempts: 1,
    contractVersion: 'v1',
    isolation: { mode: 'sandboxed', backend: 'docker', exit_code: 0 },
  });
  const [run] = engine.runs;
  expect(run).toMatchObject({
    mode: 'sandboxed',
    image: 'tools:1',
    envBase: 'image',
    env: { TOOL_REQUEST_ID: 'req-1', TOOL_ENDPOINT: 'https://search.example/q' },
  });
  expect(run).not.toHaveProperty('command');
  expect(JSON.parse(run?.stdin ?? '')).toMatchObject({
    tool_contract_version: 'v1',
    request_id: 'req-1',
    input: { q: 'tides' },
    attempt: 1,
  });
});

test.each([
  [{ secretRef: 'token' }, { TOOL_AUTH_BEARER: 'hunter2-secret' }],
  [{ profile: 'basic', secretRef: 'login' }, { TOOL_AUTH_BASIC: 'user:pass-word' }],
  [
    { profile: 'api_key_header', secretRef: 'token', headerName: 'X-Key' },
    { TOOL_AUTH_HEADER_NAME: 'X-Key', TOOL_AUTH_HEADER_VALUE: 'hunter2-secret' },
  ],
])('auth %j reaches it as variables', async (auth, variables) => {
  engine.next = OK;
  await invoke({ auth });
  expect(engine.runs[0]?.env).toEqual({ TOOL_REQUEST_ID: 'req-1', ...variables });
});

test('the tool may bring an image, a command and variables of its own, and cannot replace ours', async () => {
  engine.next = OK;
  const cli = { command: '/tool', args: ['{{ .q }}'], image: 'own:2', env: { A: 'b', TOOL_REQUEST_ID: 'forged' }, network: 'tools' };
  await invoke({ cli, runtime: { isolation_mode: 'container' } });
  expect(engine.runs[0]).toMatchObject({
    image: 'own:2',
    command: ['/tool', 'tides'],
    env: { A: 'b', TOOL_REQUEST_ID: 'req-1' },
    network: 'tools',
  });
});

test('type http may answer with plain text', async () => {
  engine.next = { stdout: 'plain text' };
  expect(await invoke({ type: 'http' })).toMatchObject({ output: 'plain text' });
  engine.next = { stdout: '{"status":"shipped"}' };
  expect(await invoke({ type: 'http' })).toMatchObject({ output: '{"status":"shipped"}' });
  engine.next = OK;
  expect(await invoke({ type: 'http' })).toMatchObject({ output: '{"found":2}', contractVersion: 'v1' });
});

test.each([
  [
    reply({ status: 'error', error: { code: 'execution_failed', reason: 'busy', retryable: true, message: 'later' } }),
    'execution_failed',
    'busy',
    true,
  ],
  [{ ...reply({ status: 'error', error: { code: 'invalid_input', message: 'no' } }), exitCode: 2 }, 'invalid_input', undefined, false],
  [reply({ status: 'denied', error: { message: 'no' } }), 'permission_denied', 'denied_by_tool', false],
  [{ stdout: 'not a reply' }, 'execution_failed', 'tool_protocol', false],
  [{ stdout: '' }, 'execution_failed', 'tool_protocol', false],
  [{ exitCode: 9, stderr: 'hunter2-secret broke' }, 'execution_failed', 'exit_9', true],
  [{ ...OK, truncated: { stdout: true, stderr: false } }, 'execution_failed', 'response_too_large', false],
])('%j is typed, and keeps its facts', async (next, code, reason, retryable) => {
  engine.next = next;
  const failure = await callFailure(invoke({ auth: { secretRef: 'token' } }));
  expect(failure).toMatchObject({ code, reason, retryable, isolation: { mode: 'sandboxed' } });
  expect(failure.message).not.toContain('hunter2-secret');
});

test('without an image nothing runs, and the message reports what to set', async () => {
  const port = createToolPort({ ...toolDeps(), isolation: engine.isolation });
  const call = toolCall({ type: 'grpc', runtime: { isolation_mode: 'container' } });
  const failure = await callFailure(port.invoke(call, { signal: new AbortController().signal }));
  expect(failure.code === 'unsupported_tool' || failure.message.includes('--tool-container-image')).toBe(true);
  const external = await callFailure(
    port.invoke(toolCall({ type: 'external', runtime: { isolation_mode: 'container' } }), { signal: new AbortController().signal }),
  );
  expect(external).toMatchObject({ code: 'isolation_unavailable', retryable: false, reason: 'not_configured' });
  expect(external.message).toContain('--tool-container-image');
  expect(engine.runs).toEqual([]);
});
