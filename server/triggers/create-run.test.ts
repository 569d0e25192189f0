import { expect, test } from 'vitest';
import type { StoredObject } from '../store/store.ts';
import { freeTaskName, labelValue } from './create-run.ts';

function namesOf(taken: Set<string>) {
  let reads = 0;
  const reader = {
    getObject: ({ name }: { readonly name: string }) => {
      reads += 1;
      return Promise.resolve(taken.has(name) ? ({} as StoredObject) : undefined);
    },
  };
  return { next: () => freeTaskName(reader, 'default', 'run'), reads: () => reads };
}

test('the next free name has the next number, without an end, in few reads', async () => {
  const taken = new Set<string>();
  const names = namesOf(taken);
  for (let n = 0; n < 3_000; n += 1) taken.add(await names.next());
  expect([...taken]).toEqual(['run', ...Array.from({ length: 2_999 }, (_, n) => `run-${n + 2}`)]);
  const before = names.reads();
  await names.next();
  expect(names.reads() - before).toBeLessThan(26);
});

test('the next free name is found between numbers whose Tasks were deleted', async () => {
  expect(await namesOf(new Set(['run', 'run-2', 'run-4', 'run-7'])).next()).toMatch(/^run-(3|5|6|8)$/);
  expect(await namesOf(new Set(['run-2', 'run-3'])).next()).toBe('run');
});

test('a text that is too long for a label is not cut within a pair of surrogates', () => {
  expect(labelValue('a\u0007b')).toBe('ab');
  expect(labelValue('a'.repeat(300))).toBe('a'.repeat(255));
  expect(labelValue(`${'a'.repeat(254)}\u{1F600}b`)).toBe('a'.repeat(254));
});
