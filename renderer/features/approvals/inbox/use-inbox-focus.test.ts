// Focus of the inbox: the row that keys moved to, once, and the decision when it is loaded.
import { renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useInboxFocus } from './use-inbox-focus.ts';

afterEach(() => document.body.replaceChildren());

/** A title as the page shows it, in place of the one before. */
function showTitle(): HTMLElement {
  const title = document.createElement('h2');
  title.tabIndex = -1;
  title.dataset['decisionTitle'] = '';
  document.body.replaceChildren(title);
  return title;
}

test('the decision takes the focus when it is loaded, not the placeholder before it', () => {
  const placeholder = showTitle();
  const { result, rerender } = renderHook(({ ready }: { ready?: string }) => useInboxFocus({ wide: true, current: 'a', ready }), {
    initialProps: {},
  });
  result.current.readDecision();
  expect(document.activeElement).not.toBe(placeholder);
  const title = showTitle();
  rerender({ ready: 'uid' });
  expect(document.activeElement).toBe(title);
});

test('a loaded decision takes the focus immediately', () => {
  const title = showTitle();
  const { result } = renderHook(() => useInboxFocus({ wide: true, current: 'a', ready: 'uid' }));
  result.current.readDecision();
  expect(document.activeElement).toBe(title);
});

test('a move to another row withdraws the request to read the decision', () => {
  const title = showTitle();
  const { result, rerender } = renderHook(({ ready }: { ready?: string }) => useInboxFocus({ wide: true, current: 'a', ready }), {
    initialProps: {},
  });
  result.current.readDecision();
  result.current.wantMoved('b');
  rerender({ ready: 'uid' });
  expect(document.activeElement).not.toBe(title);
});

test('a focus request for a row is served once', () => {
  const { result } = renderHook(() => useInboxFocus({ wide: true, current: 'a', ready: undefined }));
  const { wantMoved, rowFocus } = result.current;
  wantMoved('b');
  expect(rowFocus.wanted()).toBe('b');
  rowFocus.taken();
  expect(rowFocus.wanted()).toBeUndefined();
});

test('a narrow inbox focuses the opened item, then the row that was left', () => {
  const title = showTitle();
  const { result, rerender } = renderHook(
    ({ current }) => useInboxFocus({ wide: false, current, ready: current === '' ? undefined : 'uid' }),
    { initialProps: { current: '' } },
  );
  rerender({ current: 'a' });
  expect(document.activeElement).toBe(title);
  rerender({ current: '' });
  expect(result.current.rowFocus.wanted()).toBe('a');
});
