import { describe, expect, test } from 'vitest';
import { planCall, quoteArgument } from './call-plan.ts';

const cli = (more: object = {}) => ({
  type: 'cli',
  cli: { command: 'erp', args: ['delete', '{{ json .ids }}', '--why={{ .why }}'], ...more },
  runtime: { isolation_mode: 'none' },
});

describe('a command', () => {
  test('is shown as it will be run, argument by argument', () => {
    const { command, problems } = planCall(cli(), { ids: [1, 2], why: 'a; rm -rf /' });
    expect([command?.binary, ...(command?.args.map(({ text }) => text) ?? [])]).toEqual(['erp', 'delete', '[1,2]', '--why=a; rm -rf /']);
    expect(problems).toEqual([]);
  });

  test('names the argument that cannot be filled', () => {
    const { command, problems } = planCall(cli(), { ids: [1] });
    expect(command?.args[2]).toMatchObject({ template: '--why={{ .why }}', text: undefined });
    expect(problems).toEqual([expect.stringMatching(/^Argument 3 needs the field "why"/)]);
  });

  test('says that a line is longer than workers take, and that no argument holds a NUL', () => {
    expect(planCall(cli(), { ids: [1], why: 'x'.repeat(4_000) }).caution).toBeUndefined();
    expect(planCall(cli(), { ids: [1], why: 'ä'.repeat(4_000) }).caution).toMatch(/^The command line has 8,0\d\d bytes/);
    expect(planCall(cli(), { ids: [1], why: 'a\0b' }).problems).toEqual(['Argument 3 holds a NUL character, which no argument can.']);
  });

  test('survives a template that does not parse and an input that is no object', () => {
    expect(planCall(cli({ args: ['{{ .a'] }), {}).problems[0]).toMatch(/Argument 1 has a "{{" without/);
    expect(planCall(cli(), undefined).command?.args.every(({ text }) => text === undefined)).toBe(true);
  });

  test('shows variables, and secrets by name only', () => {
    const plan = planCall(
      cli({ env: { A: 'b' }, env_from: [{ name: 'TOKEN', secretRef: 'erp', key: 'k' }], image_pull_secret: 'login' }),
      {},
    );
    expect(plan.facts).toContainEqual({ term: 'Environment', text: 'A=b' });
    expect(plan.secrets).toEqual([
      { carrier: '$TOKEN', secret: 'erp', key: 'k' },
      { carrier: 'registry login', secret: 'login', key: undefined },
    ]);
  });
});

describe('a request', () => {
  test('has method, address and the names of its headers', () => {
    const plan = planCall({ endpoint: 'https://x.test/', auth: { profile: 'api_key_header', headerName: 'X-Key', secretRef: 's' } }, {});
    expect(plan.request).toEqual({
      method: 'POST',
      url: 'https://x.test/',
      headers: ['content-type', 'accept', 'idempotency-key', 'x-key'],
    });
    expect(plan.secrets).toEqual([{ carrier: 'x-key (api_key_header)', secret: 's', key: undefined }]);
  });

  test('without an endpoint fails, and says so', () => {
    expect(planCall({ type: 'external' }, {}).problems).toEqual(['The tool names no endpoint.']);
  });
});

test.each([
  [{ type: 'cli' }, { mode: 'container', isDefault: true, network: 'the server’s default' }],
  [
    { type: 'http', risk_level: 'critical' },
    { mode: 'sandboxed', isDefault: true, network: 'to the tool’s endpoint' },
  ],
  [{ type: 'http' }, { mode: 'none', isDefault: true, network: 'through the egress guard' }],
  [{ type: 'wasm' }, { mode: 'wasm', isDefault: true, network: 'none' }],
  [
    { type: 'wasm', risk_level: 'high' },
    { mode: 'wasm', isDefault: true, network: 'none' },
  ],
  [
    { type: 'cli', runtime: { isolation_mode: 'none' } },
    { mode: 'none', isDefault: false, network: 'that of the worker' },
  ],
])('isolation of %j', (spec, isolation) => {
  expect(planCall(spec, {}).isolation).toEqual(isolation);
});

test('specs of any shape give a plan', () => {
  for (const spec of [{}, { type: 7, cli: [], auth: 'x', runtime: null }, { type: 'cli', cli: { args: 'no' } }, { type: 'new-kind' }])
    expect(planCall(spec, {})).toMatchObject({ isolation: expect.anything() });
});

test.each([
  ['plain-1.2', 'plain-1.2'],
  ['a b', `'a b'`],
  [`it's`, `'it'\\''s'`],
  ['', `''`],
])('%s is written %s', (argument, quoted) => expect(quoteArgument(argument)).toBe(quoted));
