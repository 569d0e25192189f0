// Notifications of the browser, with a fake browser: shown ones, and withdrawn ones.
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toolApproval } from '../../../testing/approvals.ts';
import { useNotifications } from './use-notifications.ts';

class FakeNotification {
  static readonly permission = 'granted';
  static made: FakeNotification[] = [];
  static allowed = true;
  closed = false;
  readonly title: string;
  readonly tag: string;
  constructor(title: string, { tag }: { readonly tag: string }) {
    if (!FakeNotification.allowed) throw new TypeError('Illegal constructor');
    this.title = title;
    this.tag = tag;
    FakeNotification.made.push(this);
  }
  close(): void {
    this.closed = true;
  }
}

const open = () => FakeNotification.made.filter(({ closed }) => !closed).map(({ tag }) => tag);
const SINCE = Date.parse('2026-01-01T12:00:00.000Z');
const many = (...names: string[]) =>
  names.map((name) => ({ ...toolApproval({ name }), createdAt: name.startsWith('old') ? SINCE - 60_000 : SINCE + 1_000 }));

beforeEach(() => {
  FakeNotification.made = [];
  FakeNotification.allowed = true;
  vi.stubGlobal('Notification', FakeNotification);
  vi.stubGlobal('isSecureContext', true);
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function follow(...first: string[]) {
  const useWatch = ({ names }: { readonly names: readonly string[] }) =>
    useNotifications({ scope: 'ops', pending: many(...names), since: SINCE });
  const rendered = renderHook(useWatch, { initialProps: { names: first } });
  return { ...rendered, now: (...names: string[]) => rendered.rerender({ names }) };
}

test('new approvals are shown, those decided elsewhere are withdrawn, known ones are not notified', () => {
  const { now } = follow('old');
  now('old', 'a', 'b');
  expect(open()).toEqual(['approval-uid-a', 'approval-uid-b']);
  now('old', 'b');
  expect(open()).toEqual(['approval-uid-b']);
});

test('an approval requested while the page was loading is in the first list, and is shown', () => {
  follow('old', 'a');
  expect(open()).toEqual(['approval-uid-a']);
});

test('an older approval is not notified when it is read late', () => {
  const { now } = follow();
  now('old', 'old-too');
  expect(open()).toEqual([]);
});

test('every notification is withdrawn in the end', () => {
  const { now, unmount } = follow();
  now('old', 'a');
  unmount();
  expect(open()).toEqual([]);
});

test('a browser that forbids notifications by pages breaks nothing', () => {
  FakeNotification.allowed = false;
  const { now } = follow();
  expect(() => now('old', 'a')).not.toThrow();
});
