// Reading of stored objects: typed, with defaults, and total on whatever a store may hold.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kinds, type KindName } from './index.ts';
import { readSpec, specOf, statusOf } from './read.ts';

const key = { namespace: 'team', name: 'mine' };
const names = kinds.map(({ kind }) => kind as KindName);

test('a spec of an older version is read with the defaults of this one', () => {
  const { runtime, risk_level, operation_classes } = specOf('Tool', { ...key, spec: { type: 'wasm', risk_level: 'high' } });
  expect({ risk_level, operation_classes, ...runtime }).toMatchObject({
    risk_level: 'high',
    operation_classes: ['write'],
    timeout: '30s',
    isolation_mode: 'sandboxed',
    on_unknown_outcome: 'ask',
  });
});

test('a default that depends on the name of the object is filled in', () => {
  expect(specOf('ToolPermission', { ...key, spec: {} }).tool_ref).toBe('mine');
});

test('a damaged field falls back alone, and is reported at its path', () => {
  const spec = { system: 'research', retry: { max_attempts: 'many', backoff: '5s' }, priority: null, from_the_future: 1 };
  const { value, problems } = readSpec('Task', { ...key, spec });
  expect(value).toMatchObject({ system: 'research', retry: { max_attempts: 1, backoff: '5s' }, priority: 'normal' });
  expect(problems).toEqual([{ path: 'spec.retry.max_attempts', message: 'must be a whole number, not a string' }]);
});

test('a spec that a stored object shares is read once', () => {
  const object = { ...key, spec: { agents: ['a'] } };
  expect(specOf('AgentSystem', object)).toBe(specOf('AgentSystem', { ...object }));
});

test('a status without a phase is in the first phase of its kind', () => {
  expect(statusOf('Session', { status: {} })).toEqual({ phase: 'WaitingInput' });
  expect(statusOf('Task', { status: { phase: 7, attempts: 2, made_by_a_later_version: true } })).toEqual({ phase: 'Pending', attempts: 2 });
});

describe.each(names)('%s', (name) => {
  test('a normalised spec is read as it is stored, without problems', () => {
    const stored = JSON.parse(JSON.stringify(specOf(name, { ...key, spec: {} }))) as object;
    expect(readSpec(name, { ...key, spec: stored })).toEqual({ value: stored, problems: [] });
  });

  test('any value at all is read without an error', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: false }), (value) => {
        expect(specOf(name, { ...key, spec: value })).toBeTypeOf('object');
        expect(statusOf(name, { status: value }).phase).toBeTypeOf('string');
      }),
      { numRuns: 50 },
    );
  });
});
