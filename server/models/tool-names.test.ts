import { expect, test } from 'vitest';
import fc from 'fast-check';
import { toolNames } from './tool-names.ts';

const aliases = (...names: string[]) => toolNames({ tools: names.map((name) => ({ name })), messages: [] });

test('a dotted name becomes a safe one, and comes back', () => {
  const names = aliases('memory.read');
  expect([names.toProvider('memory.read'), names.toOurs('memory_read'), names.toOurs('made_up')]).toEqual([
    'memory_read',
    'memory.read',
    'made_up',
  ]);
});

test('a safe name keeps itself when an unsafe one would take it', () => {
  const names = aliases('memory.read', 'memory_read', 'memory-read');
  expect(names.toProvider('memory_read')).toBe('memory_read');
  expect(names.toProvider('memory.read')).toMatch(/^memory_read_[0-9a-f]{8}$/);
});

test('aliases do not depend on the order of the tools', () => {
  expect(aliases('a.b', 'a b').toProvider('a.b')).toBe(aliases('a b', 'a.b').toProvider('a.b'));
});

test('any set of names gets distinct safe aliases that lead back', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.oneof(fc.string({ minLength: 1, maxLength: 80 }), fc.stringMatching(/^[a_.]{1,70}$/)), { maxLength: 20 }),
      (names) => {
        const map = aliases(...names);
        const given = names.map((name) => map.toProvider(name));
        expect(given.every((alias) => /^[a-zA-Z0-9_-]{1,64}$/.test(alias))).toBe(true);
        expect(given.map((alias) => map.toOurs(alias))).toEqual(names);
      },
    ),
  );
});

test('a name that looks like the alias of another one does not take its calls', () => {
  const forged = aliases('a.b', 'a/b').toProvider('a/b');
  const names = aliases('a.b', 'a/b', forged);
  const given = ['a.b', 'a/b', forged].map((name) => names.toProvider(name));
  expect(given.map((alias) => names.toOurs(alias))).toEqual(['a.b', 'a/b', forged]);
});
