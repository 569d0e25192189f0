// The sort, filters and search of a list in the history.
import { act } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderAt } from '../testing/render-at.tsx';
import { textParam, typedParam, useFilterState } from './search-state.ts';

const PARAMS = { q: typedParam, sort: textParam };
type Change = ReturnType<typeof useFilterState<typeof PARAMS>>[1];

const SEEN_MS = { timeout: 20_000 };

async function list() {
  let change: Change = () => undefined;
  const { address, back } = await renderAt('/n/ops/tools', function List() {
    [, change] = useFilterState(PARAMS);
    return null;
  });
  const at = (href: string) => vi.waitFor(() => expect(address()).toBe(href), SEEN_MS);
  return {
    at,
    back,
    set: async (next: Parameters<Change>[0], href: string) => {
      act(() => change(next));
      await at(href);
    },
  };
}

test('Back leads to the former sort and filter, and what was typed is one step', async () => {
  const { at, back, set } = await list();
  await set({ sort: 'name' }, '/n/ops/tools?sort=name');
  await set({ q: 'a' }, '/n/ops/tools?sort=name&q=a');
  await set({ q: 'ab' }, '/n/ops/tools?sort=name&q=ab');
  await set({ q: 'abc' }, '/n/ops/tools?sort=name&q=abc');
  await set({ sort: '' }, '/n/ops/tools?q=abc');
  await set({ q: 'abcd' }, '/n/ops/tools?q=abcd');
  await back();
  await at('/n/ops/tools?q=abc');
  await back();
  await at('/n/ops/tools?sort=name&q=abc');
  await back();
  await at('/n/ops/tools?sort=name');
  await set({ q: 'x' }, '/n/ops/tools?sort=name&q=x');
  await back();
  await at('/n/ops/tools?sort=name');
  await back();
  await at('/n/ops/tools');
});

test('a change to the same values adds no step', async () => {
  const { at, back, set } = await list();
  await set({ sort: 'name' }, '/n/ops/tools?sort=name');
  await set({ sort: 'name' }, '/n/ops/tools?sort=name');
  await set({ q: '' }, '/n/ops/tools?sort=name');
  await back();
  await at('/n/ops/tools');
});
