// The plan of a call beside the call itself: what a reviewer reads is what the program, the server or the engine gets.
import { describe, expect, onTestFinished, test } from 'vitest';
import fc from 'fast-check';
import type { JsonObject } from '@svc/shared/json';
import { fakeIsolation } from '../testing/fake-isolation.ts';
import { json, startLoopbackServer } from '../testing/loopback-server.ts';
import { toolSpec } from '../testing/specs.ts';
import { callFailure, toolCall, toolConfig, toolDeps } from '../testing/tool-deps.ts';
import { planCall } from './call-plan.ts';
import { createToolPort } from './create-tool-port.ts';
import type { ToolPortConfig } from './runtime.ts';

const secrets = {
  resolveValue: () => Promise.resolve('hunter2:secret'),
  resolveEntries: () => Promise.resolve({ value: 'hunter2:secret', k: 'hunter2:key' }),
};
const PLACE = { namespace: 'team', name: 'search' };

const plan = (spec: object, input: JsonObject = {}, config: Partial<ToolPortConfig> = {}) =>
  planCall({ ...PLACE, spec: toolSpec(spec) }, input, toolConfig(config));

function invoke(spec: object, input: JsonObject, engine = fakeIsolation(), config: Partial<ToolPortConfig> = {}) {
  const port = createToolPort({ ...toolDeps(), secrets, config: toolConfig(config), isolation: engine.isolation });
  onTestFinished(() => port.close());
  return port.invoke(toolCall(toolSpec(spec), { input }), { signal: new AbortController().signal });
}

const inputs: JsonObject[] = [
  { ids: [1, 2], why: 'plain' },
  { ids: [], why: 'a; rm -rf / $(id) `id` "x" \'y\' \n\t\u001b[31m\u202e' },
  { ids: { deep: [null] }, why: '--flag={{ .ids }}' },
];

describe('a command', () => {
  const args = ['-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--', '{{ json .ids }}', '--why={{ .why }}', 'end'];
  const spec = { type: 'cli', cli: { command: process.execPath, args }, runtime: { isolation_mode: 'none' } };

  test.each(inputs)('receives the arguments of its plan for %j', async (input) => {
    const { command, problems, isolation } = plan(spec, input);
    const { output } = await invoke(spec, input);
    expect(command?.binary).toBe(process.execPath);
    expect(command?.args.slice(3).map(({ text }) => text)).toEqual(JSON.parse(output));
    expect(problems).toEqual([]);
    expect(isolation).toEqual({ mode: 'none', network: 'network of the worker' });
  });

  test.each<[string, JsonObject, RegExp]>([
    ['lacks a field', { ids: [] }, /^Argument 5 needs the field "why"/],
    ['holds a NUL character', { ids: [], why: 'a\0b' }, /^Argument 5 holds a NUL character/],
    ['is longer than a command line may be', { ids: [], why: 'ä'.repeat(4_000) }, /^(Argument 5|the command line)/],
  ])('has the problem of its call when the input %s', async (_, input, problem) => {
    expect(plan(spec, input).problems).toEqual([expect.stringMatching(problem)]);
    expect(await callFailure(invoke(spec, input))).toMatchObject({ code: 'invalid_input' });
  });

  test('runs in the container of its plan by default', async () => {
    const engine = fakeIsolation();
    const cli = {
      command: '/erp',
      args: ['{{ .why }}'],
      image: 'erp:2',
      env: { A: 'b' },
      env_from: [{ name: 'TOKEN', secretRef: 'erp', key: 'k' }],
    };
    const contained = { type: 'cli', cli, risk_level: 'critical' };
    const input = { why: 'x' };
    const shown = plan(contained, input, { containerNetwork: 'tools', ceilings: { ...toolConfig().ceilings, networks: ['tools'] } });
    await invoke(contained, input, engine);
    expect(shown).toMatchObject({
      isolation: { mode: engine.runs[0]?.mode, network: 'tools' },
      command: { binary: '/erp', stdin: 'none' },
    });
    expect(shown.facts).toEqual(
      expect.arrayContaining([
        { term: 'Image', text: engine.runs[0]?.image },
        { term: 'Environment', text: 'A=b' },
      ]),
    );
    expect(shown.secrets).toEqual([{ carrier: '$TOKEN', secret: 'erp', key: 'k' }]);
    expect(JSON.stringify(shown)).not.toContain('hunter2');
  });
});

describe('a request', () => {
  test.each([
    ['http', { secretRef: 's' }],
    ['http', { profile: 'api_key_header', headerName: 'X-Key', secretRef: 's' }],
    ['external', { profile: 'basic', secretRef: 's' }],
  ])('type %s with auth %j has the method, path and headers of its plan', async (type, auth) => {
    const reply = { status: 'ok', output: { result: 1 } };
    const server = await startLoopbackServer(json(reply));
    onTestFinished(() => server.close());
    const spec = { type, endpoint: `${server.url}/call?x=1`, auth };
    const { request, secrets: used, problems } = plan(spec);
    await invoke(spec, {});
    const [seen] = server.seen;
    expect(request).toMatchObject({ method: seen?.method, url: `${server.url}${seen?.path}` });
    expect(request?.headers.filter((name) => seen?.headers[name] === undefined)).toEqual([]);
    expect(request?.headers.length).toBeGreaterThan(3);
    expect(used).toEqual([{ carrier: expect.stringContaining(request?.headers.at(-1) ?? '?'), secret: 's' }]);
    expect(problems).toEqual([]);
  });

  test('with high risk is shown as the image that runs instead', async () => {
    const engine = fakeIsolation();
    engine.next = { stdout: JSON.stringify({ status: 'ok', output: { result: 1 } }) };
    const spec = { type: 'http', endpoint: 'https://x.test/', risk_level: 'high', auth: { secretRef: 's' } };
    const shown = plan(spec, {}, { containerImage: 'tools:1' });
    await invoke(spec, {}, engine, { containerImage: 'tools:1' });
    expect(shown).toMatchObject({ isolation: { mode: engine.runs[0]?.mode, network: 'none' }, command: { stdin: 'request', args: [] } });
    expect(shown.request).toBeUndefined();
    expect(shown.facts).toContainEqual({ term: 'Image', text: engine.runs[0]?.image });
    expect(shown.secrets).toEqual([{ carrier: '$TOOL_AUTH_BEARER (bearer)', secret: 's' }]);
    expect(Object.keys(engine.runs[0]?.env ?? {})).toContain('TOOL_AUTH_BEARER');
  });
});

test.each([
  [{ type: 'external' }, 'spec.endpoint is missing'],
  [{ type: 'cli' }, 'spec.cli.command is missing'],
  [{ type: 'a2a' }, 'spec.a2a.agent_url is missing'],
  [{ type: 'cli', cli: { command: 'x', args: ['{{ .a'] }, runtime: { isolation_mode: 'none' } }, 'spec.cli.args[0]'],
])('a Tool %j that cannot run has the reason among its problems', (spec, problem) => {
  expect(plan(spec).problems.join(' ')).toContain(problem);
});

test('a wasm tool of high risk runs in its own sandbox without a network', () => {
  const shown = plan({ type: 'wasm', risk_level: 'high', endpoint: `https://x.test/m.wasm#sha256=${'a'.repeat(64)}` });
  expect(shown).toMatchObject({ isolation: { mode: 'wasm', network: 'none' }, problems: [] });
  expect(shown.facts).toContainEqual({ term: 'SHA-256', text: 'a'.repeat(64) });
});

test.each([
  ['mcp', { mcp_server_ref: 'files', mcp_tool_name: 'write' }],
  ['a2a', { a2a: { agent_url: 'https://agent.test' } }],
])('the plan of a %s tool of high risk promises no isolation that its calls do not have', (type, more) => {
  expect(plan({ type, risk_level: 'high', ...more })).toMatchObject({ isolation: { mode: 'none' }, problems: [] });
});

test('stored specs of any shape give a plan', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('type', 'cli', 'auth', 'runtime', 'wasm', 'endpoint', 'risk_level'), fc.jsonValue()),
      (spec) => {
        expect(planCall({ ...PLACE, spec: toolSpec(spec) }, {}, toolConfig())).toMatchObject({ isolation: expect.anything() });
      },
    ),
    { numRuns: 200 },
  );
});
