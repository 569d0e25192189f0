// What is kept of a text when its page is left a moment after the last change.
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
const keptTexts = () => vi.mocked(keepDraft).mock.calls.map(([, { text }]) => text);

test('what was written is kept', () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  unmount();
  expect(keptTexts()).toEqual(['changed']);
});

test('what was taken back is not', () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  rerender(writing('base'));
  unmount();
  expect(keptTexts()).toEqual([]);
});
