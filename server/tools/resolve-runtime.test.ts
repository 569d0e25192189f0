import { describe, expect, test } from 'vitest';
import { CallError } from '../engine/ports.ts';
import { toolCall } from '../testing/tool-deps.ts';
import { resolveRuntime } from './resolve-runtime.ts';
import type { ToolRuntime } from './runtime.ts';

const named = (type: string): ToolRuntime => ({ type, run: () => Promise.resolve({ output: type }) });
const types = ['http', 'external', 'grpc', 'webhook-callback', 'wasm', 'cli', 'queue', 'mcp', 'a2a'];
const runtimes = { byType: new Map(types.map((type) => [type, named(type)])), contained: named('contained') };

/** The runtime's type, or the error's code. */
function resolved(spec: Record<string, unknown>): string {
  try {
    return resolveRuntime(toolCall(spec).tool, runtimes).type;
  } catch (error) {
    if (error instanceof CallError) return error.code;
    throw error;
  }
}

const modes = ['none', 'container', 'sandboxed', 'kubernetes', 'wasm'];

describe('a Tool and its isolation_mode lead to one runtime', () => {
  const rows = [
    ...['http', 'external', 'grpc', 'webhook-callback', 'queue'].map((type) => ({
      type,
      expected: [type, 'contained', 'contained', 'contained', 'runtime_policy_invalid'],
    })),
    // These judge the mode themselves.
    ...['cli', 'wasm', 'mcp', 'a2a'].map((type) => ({ type, expected: modes.map(() => type) })),
    { type: 'carrier-pigeon', expected: modes.map(() => 'unsupported_tool') },
  ];
  test.each(rows)('$type', ({ type, expected }) => {
    expect(modes.map((isolation_mode) => resolved({ type, runtime: { isolation_mode } }))).toEqual(expected);
  });
});

test('an unknown mode is refused, not ignored', () => {
  expect(resolved({ type: 'http', runtime: { isolation_mode: 'vacuum' } })).toBe('runtime_policy_invalid');
});

test.each([
  [{}, 'none'],
  [{ type: 'cli' }, 'container'],
  [{ risk_level: 'high' }, 'sandboxed'],
  [{ risk_level: 'critical', type: 'grpc' }, 'sandboxed'],
  [{ risk_level: 'medium', runtime: {} }, 'none'],
  [{ type: 'a2a', risk_level: 'high' }, 'sandboxed'],
  [{ type: 'mcp', risk_level: 'critical' }, 'sandboxed'],
  [{ type: 'mcp' }, 'none'],
  [{ type: 'wasm' }, 'none'],
  [{ type: 'wasm', risk_level: 'critical' }, 'sandboxed'],
  [{ risk_level: 'high', runtime: { isolation_mode: 'none' } }, 'none'],
])('without a mode, %j means %s', (spec, mode) => expect(toolCall(spec).tool.spec.runtime.isolation_mode).toBe(mode));

test('the error of an unknown type lists those that run', () => {
  const message = (type: string) => {
    try {
      resolveRuntime(toolCall({ type }).tool, runtimes);
    } catch (error) {
      return (error as CallError).message;
    }
    return '';
  };
  expect(message('smtp')).toContain('type "smtp", which this server does not run; it runs http, external, grpc');
});
