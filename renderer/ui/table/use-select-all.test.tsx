// Selection of rows that are not loaded yet.
import { renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { ListPages } from '../../live/list-pages.ts';
import { objectOf } from '../../testing/fake-objects.ts';
import type { Resource } from '@svc/shared/resource';
import { useSelectAll, type SelectAllOptions } from './use-select-all.ts';

const rows = (count: number) => Array.from({ length: count }, (_, index) => objectOf('Agent', `a${index}`));
const keys = (count: number) => new Set(Array.from({ length: count }, (_, index) => `ops/a${index}`));

function optionsOf(loaded: number, { hasMore, filters = 'same' }: { hasMore: boolean; filters?: string }) {
  const loadMore = vi.fn();
  const onChange = vi.fn();
  const keyOf = ({ metadata }: Resource) => `${metadata.namespace}/${metadata.name}`;
  const pages = { rows: rows(loaded), hasMore, loadingMore: false, error: null, loadMore } as Partial<ListPages<Resource>>;
  const options = {
    pages,
    read: loaded,
    keyOf,
    selection: { selected: keys(2), onChange },
    total: 3,
    filters,
  } as unknown as SelectAllOptions<Resource>;
  return { options, loadMore, onChange };
}

function begin() {
  const first = optionsOf(2, { hasMore: true });
  const hook = renderHook((options: SelectAllOptions<Resource>) => useSelectAll(options), { initialProps: first.options });
  expect(hook.result.current).toMatchObject({ label: 'Select all 3 matching', busy: false });
  return { first, hook };
}

test('the rows below are loaded and then selected', async () => {
  const { first, hook } = begin();
  hook.result.current?.select();
  await vi.waitFor(() => expect(first.loadMore).toHaveBeenCalled(), { timeout: 20_000 });
  const { options, onChange } = optionsOf(3, { hasMore: false });
  hook.rerender(options);
  expect(onChange).toHaveBeenCalledWith(keys(3));
});

test('other filters end it: those rows were never seen', async () => {
  const { first, hook } = begin();
  hook.result.current?.select();
  await vi.waitFor(() => expect(first.loadMore).toHaveBeenCalled(), { timeout: 20_000 });
  const { options, onChange } = optionsOf(3, { hasMore: false, filters: 'other' });
  hook.rerender(options);
  expect(onChange).not.toHaveBeenCalled();
  expect(hook.result.current).toBeUndefined();
});

test('a cleared selection ends it, so that the next selected row stays alone', async () => {
  const { first, hook } = begin();
  hook.result.current?.select();
  await vi.waitFor(() => expect(first.loadMore).toHaveBeenCalled(), { timeout: 20_000 });
  const { options, onChange } = optionsOf(3, { hasMore: false });
  hook.rerender({ ...options, selection: { selected: new Set(), onChange } });
  hook.rerender({ ...options, selection: { selected: keys(1), onChange } });
  expect(onChange).not.toHaveBeenCalled();
});

test('the selection ends at 2,000 rows, and the label names the limit', async () => {
  const { first, hook } = begin();
  hook.rerender({ ...first.options, total: 5_431 });
  expect(hook.result.current?.label).toBe('Select the first 2,000 of 5,431 matching');
  hook.rerender({ ...first.options, total: undefined });
  expect(hook.result.current?.label).toBe('Select all matching');
  hook.result.current?.select();
  await vi.waitFor(() => expect(first.loadMore).toHaveBeenCalled(), { timeout: 20_000 });
  const { options, loadMore, onChange } = optionsOf(2_100, { hasMore: true });
  hook.rerender({ ...options, total: undefined });
  expect(onChange).toHaveBeenCalledWith(keys(2_000));
  expect(loadMore).not.toHaveBeenCalled();
});

test('rows behind a filter of the browser end the reading at 20,000 objects', async () => {
  const { first, hook } = begin();
  hook.result.current?.select();
  await vi.waitFor(() => expect(first.loadMore).toHaveBeenCalled(), { timeout: 20_000 });
  const { options, loadMore, onChange } = optionsOf(3, { hasMore: true });
  hook.rerender({ ...options, read: 20_000 });
  expect(onChange).toHaveBeenCalledWith(keys(3));
  expect(loadMore).not.toHaveBeenCalled();
});
