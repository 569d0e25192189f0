// The window over a platform without one: its place when screens come and go, and a reload.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeepLinkBuffer } from './deeplink.ts';
import { MainWindow } from './main-window.ts';
import { BOOT_URL } from './security.ts';
import { openSettings } from './settings.ts';
import type { Bounds } from './windows.ts';

const LEFT = { x: 0, y: 0, width: 1920, height: 1080 };
const RIGHT = { ...LEFT, x: 1920 };
const ON_RIGHT = { x: 2_000, y: 100, width: 1_000, height: 700 };

let directory: string;
let screens: readonly Bounds[];
let maximized: boolean;
let done: unknown[];
let window: MainWindow;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-window-'));
  screens = [LEFT, RIGHT];
  maximized = false;
  done = [];
  const paths = { userData: directory, logs: '', preload: '', server: '', icons: '' };
  const openWindow = () => ({
    load: (url: string) => Promise.resolve(void done.push(url)),
    reload: () => void done.push('reload'),
    url: () => '',
    send: () => undefined,
    show: () => void done.push('show'),
    isFocused: () => false,
    bounds: () => ({ bounds: ON_RIGHT, maximized }),
    maximize: () => undefined,
    centre: (size: object) => void done.push(size),
  });
  window = new MainWindow(
    { paths, openWindow, screens: () => screens },
    {
      settings: openSettings(join(directory, 'desktop.json')),
      hidden: true,
      now: () => 0,
      keepsOnClose: () => true,
      onClosed: () => undefined,
      links: new DeepLinkBuffer(),
    },
  );
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a window whose screen was removed while it was hidden is shown in the middle of another one', () => {
  screens = [LEFT];
  window.show();
  expect(done).toEqual([{ width: 1_000, height: 700 }, 'show']);
});

test.each([
  ['on a screen that is there', [LEFT, RIGHT], false],
  ['maximised, which the system places', [LEFT], true],
  ['while no screen is attached', [], false],
])('a window stays in its place: %s', (_, present, isMaximized) => {
  screens = present;
  maximized = isMaximized;
  window.show();
  expect(done).toEqual(['show']);
});

test('a reload loads the page again, and the page of the app while no server is there', () => {
  window.reload('http://127.0.0.1:4000');
  window.reload(null);
  expect(done).toEqual(['reload', BOOT_URL]);
});
