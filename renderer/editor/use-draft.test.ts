// Drafts of a page that is left a moment after the last change.
import { renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { keepDraft } from './drafts.ts';
import { useDraft } from './use-draft.ts';

vi.mock('./drafts.ts', async (actual) => ({
  ...(await actual<object>()),
  keepDraft: vi.fn(() => Promise.resolve(true)),
  readDraft: () => Promise.resolve(undefined),
}));
beforeEach(() => vi.mocked(keepDraft).mockClear());

const target = { kind: 'Agent', namespace: 'default', name: 'a' };
const writing = (text: string) => ({ target, text, baseText: 'base', dirty: text !== 'base' });
const savedTexts = () => vi.mocked(keepDraft).mock.calls.map(([, { text }]) => text);

test('a change made just before leaving is kept', () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  unmount();
  expect(savedTexts()).toEqual(['changed']);
});

test('a change undone just before leaving is not kept', () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  rerender(writing('base'));
  unmount();
  expect(savedTexts()).toEqual([]);
});
