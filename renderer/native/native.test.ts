// The machine around the page: which calls go to the desktop app, and which to the browser.
import { afterEach, expect, test, vi } from 'vitest';
import { DESKTOP_API_VERSION as SHARED_VERSION } from '@svc/shared/desktop-api';
import { DESKTOP_API_VERSION } from './api-version.ts';
import { linkAddress } from './link-address.ts';
import { createNative } from './native.ts';

afterEach(() => vi.restoreAllMocks());

const bridge = (apiVersion = SHARED_VERSION as number) => ({
  apiVersion,
  openExternal: vi.fn(() => Promise.resolve(true)),
  saveFile: vi.fn(() => Promise.resolve(true)),
});

test('the version of the bridge is that of the app', () => {
  expect(DESKTOP_API_VERSION).toBe(SHARED_VERSION);
});

test('the desktop app opens addresses and saves files', () => {
  const svcDesktop = bridge();
  const native = createNative({ svcDesktop });
  native.openOutside('https://a.example/');
  native.saveText('a.txt', 'text', 'text/plain');
  expect(svcDesktop.openExternal).toHaveBeenCalledWith('https://a.example/');
  expect(svcDesktop.saveFile).toHaveBeenCalledWith('a.txt', new TextEncoder().encode('text'));
});

test('the desktop app opens no address of http', () => {
  const opens = (host: object) =>
    ['http://10.0.0.5:8080/', 'https://a.example/', 'mailto:a@b.example'].map(createNative(host).canOpenOutside);
  expect(opens({ svcDesktop: bridge() })).toEqual([false, true, true]);
  expect(opens({})).toEqual([true, true, true]);
});

test('a file that is too large for a call is downloaded', () => {
  const svcDesktop = bridge();
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  createNative({ svcDesktop }).saveText('a.txt', 'x'.repeat(1_000_001), 'text/plain');
  expect(svcDesktop.saveFile).not.toHaveBeenCalled();
  expect(clicked).toHaveBeenCalledOnce();
});

test.each([[undefined], [bridge(2)]])('without a bridge of its version the browser does it: %o', (svcDesktop) => {
  const opened = vi.spyOn(window, 'open').mockReturnValue(null);
  const native = createNative({ svcDesktop });
  expect(native.desktop).toBeUndefined();
  native.openOutside('https://a.example/');
  expect(opened).toHaveBeenCalledWith('https://a.example/', '_blank', 'noopener,noreferrer');
});

test.each([
  [{ type: 'open', namespace: 'team-a', kind: 'Task', name: 'bill' } as const, '/n/team-a/tasks/bill'],
  [{ type: 'approval', kind: 'ToolApproval', namespace: 'team-a', name: 'q1' } as const, '/n/team-a/inbox?item=ToolApproval%2Fteam-a%2Fq1'],
])('a link %o leads to %s', (link, address) => {
  expect(linkAddress(link)).toBe(address);
});
