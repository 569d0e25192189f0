// Time from which approvals are new: since the page loaded for the scope watched then, else since it is watched.
import { act, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { toolApproval } from '../../../testing/approvals.ts';
import { ApprovalNotifier } from './ApprovalNotifier.tsx';
import { requestNotificationPermission } from './use-notifications.ts';

const browser = { permission: 'granted', notified: [] as string[] };

class FakeNotification {
  static get permission() {
    return browser.permission;
  }
  static requestPermission() {
    browser.permission = 'granted';
    return Promise.resolve(browser.permission);
  }
  readonly close = vi.fn();
  constructor(_title: string, { tag }: { readonly tag: string }) {
    browser.notified.push(tag);
  }
}

/** An approval requested that many milliseconds ago. */
function requested(namespace: string, name: string, agoMs: number) {
  const { resource } = toolApproval({ name });
  const createdAt = new Date(Date.now() - agoMs).toISOString();
  return { ...resource, metadata: { ...resource.metadata, namespace, createdAt } };
}

const list = vi.fn<(input: { readonly kind?: string | undefined; readonly namespace?: string | undefined }) => object>();

beforeEach(() => {
  Object.assign(browser, { permission: 'granted', notified: [] });
  vi.stubGlobal('Notification', FakeNotification);
  vi.stubGlobal('isSecureContext', true);
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  vi.spyOn(performance, 'now').mockReturnValue(40_000);
  const items = [requested('ops', 'old', 80_000), requested('ops', 'loading', 20_000), requested('desk', 'other', 20_000)];
  list.mockReset().mockImplementation(({ kind, namespace }) => ({
    items: kind === 'ToolApproval' ? items.filter(({ metadata }) => metadata.namespace === namespace) : [],
  }));
  serve({ resources: { list } });
});

const watch = () => renderAt('/n/ops/inbox', ApprovalNotifier);
const listed = (namespace: string) =>
  waitFor(() => expect(list).toHaveBeenCalledWith(expect.objectContaining({ kind: 'TaskApproval', namespace })));

test('an approval that arrives while the page loads is notified, approvals of other namespaces and of a return visit are not', async () => {
  const { go } = await watch();
  await waitFor(() => expect(browser.notified).toEqual(['approval-uid-loading']));
  await go('/n/desk/inbox');
  await listed('desk');
  await go('/n/ops/inbox');
  expect(browser.notified).toEqual(['approval-uid-loading']);
});

test('an approval requested before the permission was granted is not notified', async () => {
  browser.permission = 'default';
  const { queryClient } = await watch();
  await act(requestNotificationPermission);
  await listed('ops');
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(browser.notified).toEqual([]);
});
