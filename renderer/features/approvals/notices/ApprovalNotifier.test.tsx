// Time from which approvals are new: since the page loaded for the scope watched then, else since it is watched.
import { act, render } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApprovalNotifier } from './ApprovalNotifier.tsx';

const now = vi.hoisted(() => ({ scope: 'ops', permission: 'granted', since: 0 }));
vi.mock('../../../navigation/scope.ts', () => ({ useScope: () => ({ scope: now.scope, namespace: now.scope }) }));
vi.mock('../../../live/server-clock.ts', () => ({ serverNow: () => 10_000 }));
vi.mock('../model/use-approvals.ts', () => ({ usePending: () => ({ approvals: [] }) }));
vi.mock('./use-notifications.ts', () => ({
  useNotifications: ({ since }: { readonly since: number }) => void (now.since = since),
  useNotifyPermission: () => now.permission,
  useSignedOutNotice: () => undefined,
}));

beforeEach(() => {
  Object.assign(now, { scope: 'ops', permission: 'granted', since: 0 });
  vi.spyOn(performance, 'now').mockReturnValue(4_000);
});

function watch() {
  const { rerender } = render(<ApprovalNotifier />);
  return (change: Partial<typeof now>) =>
    act(() => {
      Object.assign(now, change);
      rerender(<ApprovalNotifier />);
    });
}

test('an approval that arrives while the page loads is notified, approvals of other namespaces and of a return visit are not', () => {
  const turn = watch();
  expect(now.since).toBe(6_000);
  turn({ scope: 'desk' });
  expect(now.since).toBe(10_000);
  turn({ scope: 'ops' });
  expect(now.since).toBe(10_000);
});

test('an approval requested before the permission was granted is not notified', () => {
  now.permission = 'default';
  const turn = watch();
  turn({ permission: 'granted' });
  expect(now.since).toBe(10_000);
});
