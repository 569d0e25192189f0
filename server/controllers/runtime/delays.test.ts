// The heap of moments against the plainest model of it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDelays } from './delays.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key: fc.constantFrom(...KEYS), at: fc.nat(100) }),
  fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom(...KEYS) }),
  fc.record({ do: fc.constant('take' as const), now: fc.nat(100) }),
);

it('yields each key at its latest set time, earliest first', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (plan) => {
      const delays = createDelays();
      const model = new Map<string, number>();
      for (const each of plan) {
        if (each.do === 'set') {
          delays.set(each.key, each.at);
          model.set(each.key, each.at);
        } else if (each.do === 'delete') {
          delays.delete(each.key);
          model.delete(each.key);
        } else {
          const due = [...model].filter(([, at]) => at <= each.now);
          const taken = delays.takeDue(each.now);
          expect([...taken].sort()).toEqual(due.map(([key]) => key).sort());
          const moments = taken.map((key) => model.get(key) ?? Infinity);
          expect(moments).toEqual([...moments].sort((a, b) => a - b));
          for (const [key] of due) model.delete(key);
        }
        expect(delays.next()).toBe(model.size > 0 ? Math.min(...model.values()) : undefined);
      }
    }),
  );
});

it('stays right when one key is moved very often', () => {
  const delays = createDelays();
  delays.set('still', 5_000);
  for (let at = 1; at <= 10_000; at += 1) delays.set('moved', at);
  expect(delays.next()).toBe(5_000);
  expect(delays.takeDue(20_000)).toEqual(['still', 'moved']);
  expect(delays.next()).toBeUndefined();
});
