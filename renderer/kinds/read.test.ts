// Reading of objects in the console: typed, with defaults, and total on values of any kind.
import fc from 'fast-check';
import { kinds, type KindName } from '@svc/shared/kinds';
import * as server from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { asKind, specOf, statusOf } from './read.ts';

const key = { namespace: 'team', name: 'mine' };
const texts = import.meta.glob<string>('../../shared/kinds/*/fixtures/valid/*.yaml', { query: '?raw', import: 'default', eager: true });
const examples = Object.values(texts).map((text) => (parse(text) as { readonly resource: Resource }).resource);

const task = (spec: object, status: object) => ({ kind: 'Task', metadata: key, spec, status }) as unknown as Resource;

test('a field of a wrong type is read as its default, alone', () => {
  const spec = { system: 'research', retry: { max_attempts: 'many', backoff: '5s' }, priority: null, from_the_future: 1 };
  expect(specOf('Task', { spec })).toMatchObject({
    system: 'research',
    retry: { max_attempts: 1, backoff: '5s' },
    priority: 'normal',
    from_the_future: 1,
  });
});

test('a default that depends on another field is not filled in', () => {
  expect(specOf('Tool', { spec: { risk_level: 'high' } }).runtime).not.toHaveProperty('isolation_mode');
});

test('an entry of a wrong type is left out of its list', () => {
  expect(specOf('Agent', { spec: { tools: ['search', 7, 'mail'] } }).tools).toEqual(['search', 'mail']);
});

test('a status without a phase is in the first phase of its kind', () => {
  expect(statusOf('Session', { status: {} })).toEqual({ phase: 'WaitingInput' });
});

test('a whole object is read as itself', () => {
  const whole = task(server.specOf('Task', { ...key, spec: { system: 'a' } }), { phase: 'Running' });
  expect(asKind('Task', whole)).toBe(whole);
});

test('an object with defaults filled in is the same one for every reader', () => {
  const old = task({ system: 'a' }, {});
  expect(asKind('Task', old)).toBe(asKind('Task', old));
  expect(asKind('Task', old)).toMatchObject({ spec: { system: 'a', mode: 'run' }, status: { phase: 'Pending' } });
});

describe.each(kinds.map(({ kind }) => kind as KindName))('%s', (name) => {
  test('a stored spec is read as it is', () => {
    const written = [{}, ...examples.filter(({ kind }) => kind === name).map(({ spec }) => spec)];
    expect(written.length).toBeGreaterThan(1);
    for (const spec of written.map((each) => server.specOf(name, { ...key, spec: each }))) expect(specOf(name, { spec })).toBe(spec);
  });

  test('any value at all is read without an error', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: false }), (value) => {
        expect(specOf(name, { spec: value })).toBeTypeOf('object');
        expect(statusOf(name, { status: value }).phase).toBeTypeOf('string');
      }),
      { numRuns: 50 },
    );
  });
});
