// Focus of rows: the row that keys moved to, once, and no other row rendered before it.
import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useInboxFocus } from './use-inbox-focus.ts';

test('a focus request for one row is not served by another', () => {
  const { result } = renderHook(() => useInboxFocus({ wide: true, current: 'a', ready: undefined }));
  const { wantMoved, takeRowFocus } = result.current;
  wantMoved('b');
  expect(takeRowFocus('a')).toBe(false);
  expect(takeRowFocus('b')).toBe(true);
  expect(takeRowFocus('b')).toBe(false);
});
