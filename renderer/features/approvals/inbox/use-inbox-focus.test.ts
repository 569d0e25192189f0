// Which row focus goes to: the one that keys moved to, once, and no other that happens to be shown before it.
import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useInboxFocus } from './use-inbox-focus.ts';

test('focus that is wanted in one row is not taken by another', () => {
  const { result } = renderHook(() => useInboxFocus({ wide: true, current: 'a', ready: undefined }));
  const { wantMoved, takeRowFocus } = result.current;
  wantMoved('b');
  expect(takeRowFocus('a')).toBe(false);
  expect(takeRowFocus('b')).toBe(true);
  expect(takeRowFocus('b')).toBe(false);
});
