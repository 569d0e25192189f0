// Drafts of a page that is left a moment after the last change.
import { renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { installIndexedDb, stored } from '../testing/fake-indexed-db.ts';
import { readDraft } from './drafts.ts';
import { useDraft } from './use-draft.ts';

beforeEach(installIndexedDb);

const target = { kind: 'Agent', namespace: 'default', name: 'a' };
const writing = (text: string) => ({ target, text, baseText: 'base', dirty: text !== 'base' });

test('a change made just before leaving is kept', async () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  unmount();
  await waitFor(() => expect(stored.size).toBe(1));
  expect(await readDraft(target)).toMatchObject({ text: 'changed', baseText: 'base' });
});

test('a change undone just before leaving is not kept', async () => {
  const { rerender, unmount } = renderHook(useDraft, { initialProps: writing('base') });
  rerender(writing('changed'));
  rerender(writing('base'));
  unmount();
  expect(await readDraft(target)).toBeUndefined();
});
