// Drafts of a page that is left a moment after the last change, and of two tabs with one object.
import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { installIndexedDb, stored } from '../testing/fake-indexed-db.ts';
import { readDrafts } from './drafts.ts';
import { useDraft } from './use-draft.ts';

beforeEach(installIndexedDb);

const target = { kind: 'Agent', namespace: 'default', name: 'a' };
const writing = (text: string) => ({ target, text, baseText: 'base', dirty: text !== 'base' });

test('a change made just before leaving is kept', async () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  unmount();
  await waitFor(() => expect(stored.size).toBe(1));
  expect(await readDrafts(target)).toMatchObject([{ text: 'changed', baseText: 'base' }]);
});

test('a change undone just before leaving is not kept', async () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  rerender(writing('base'));
  unmount();
  expect(await readDrafts(target)).toEqual([]);
});

test('an apply in one tab keeps the draft of another', async () => {
  const [one, two] = [writing('base'), writing('base')].map((initialProps) => renderHook(useDraft, { initialProps }));
  one?.rerender(writing('of one'));
  await waitFor(() => expect(one?.result.current.kept).toBe(true));
  two?.rerender(writing('of two'));
  await waitFor(() => expect(two?.result.current.kept).toBe(true));
  expect(await readDrafts(target)).toMatchObject([{ text: 'of two' }, { text: 'of one' }]);
  act(() => one?.result.current.forget());
  await waitFor(async () => expect(await readDrafts(target)).toMatchObject([{ text: 'of two' }]));
});

test('a restored draft is continued, and an older one stays available', async () => {
  const visit = async (text: string) => {
    const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
    rerender(writing(text));
    await waitFor(async () => expect(await readDrafts(target)).toMatchObject([{ text }]));
    unmount();
  };
  await visit('older');
  const next = renderHook(useDraft, { initialProps: writing('base') });
  await waitFor(() => expect(next.result.current.offered?.text).toBe('older'));
  next.rerender(writing('newer'));
  await waitFor(() => expect(next.result.current.kept).toBe(true));
  next.unmount();
  const last = renderHook(useDraft, { initialProps: writing('base') });
  await waitFor(() => expect(last.result.current.offered?.text).toBe('newer'));
  act(() => last.result.current.restored());
  expect(last.result.current.offered?.text).toBe('older');
  last.rerender(writing('newest'));
  await waitFor(async () => expect(await readDrafts(target)).toMatchObject([{ text: 'newest' }, { text: 'older' }]));
});

test('discarding a draft removes the copies under namespaces that the text had before', async () => {
  const at = (namespace: string) => ({ ...writing('new'), target: { ...target, namespace } });
  const { result, rerender } = renderHook(useDraft, { initialProps: at('default') });
  for (const namespace of ['ops', 'default']) {
    await waitFor(() => expect(result.current.kept).toBe(true));
    rerender(at(namespace));
  }
  await waitFor(() => expect(result.current.kept).toBe(true));
  act(() => result.current.forget());
  await waitFor(async () => expect(await readDrafts(target)).toEqual([]));
});
