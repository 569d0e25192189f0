// The window: safe options, a place on a screen that exists, and bounded reloads.
import { expect, test } from 'vitest';
import { makeWindowOptions, opensApproval, pageToReturn, planReload, restoreBounds } from './windows.ts';

const screen = { x: 0, y: 0, width: 1920, height: 1080 };

test('options of a window are isolated, sandboxed and without Node', () => {
  const { webPreferences } = makeWindowOptions({ preload: '/p.cjs', bounds: {}, backgroundColor: '#000000' });
  expect(webPreferences).toEqual({
    preload: '/p.cjs',
    partition: 'persist:svc',
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    nodeIntegrationInWorker: false,
    webviewTag: false,
    spellcheck: process.platform === 'darwin',
  });
});

test.each([
  ['on the screen', { x: 10, y: 20, width: 1000, height: 700 }, { x: 10, y: 20, width: 1000, height: 700 }],
  ['on a screen that is gone', { x: 3_000, y: 20, width: 1000, height: 700 }, { width: 1000, height: 700 }],
  ['above the screen', { x: 10, y: -40, width: 1000, height: 700 }, { width: 1000, height: 700 }],
  ['larger than the screen', { x: 0, y: 0, width: 5_000, height: 4_000 }, { x: 0, y: 0, width: 1920, height: 1080 }],
  ['smaller than usable', { x: 0, y: 0, width: 10, height: 10 }, { x: 0, y: 0, width: 800, height: 560 }],
])('bounds %s are restored', (_, bounds, expected) => {
  expect(restoreBounds({ bounds, maximized: false }, [screen])).toEqual(expected);
});

test('bounds stay as they were while no screen is attached', () => {
  const bounds = { x: 3_000, y: 20, width: 1000, height: 700 };
  expect(restoreBounds({ bounds, maximized: false }, [])).toEqual(bounds);
});

test('a window without saved bounds is centred', () => {
  expect(restoreBounds({ bounds: null, maximized: false }, [screen])).toEqual({});
});

test.each([
  [null, '/', '/'],
  ['/n/ops/tasks/a?tab=trace#step-2', '/', '/n/ops/tasks/a?tab=trace#step-2'],
  ['/p/eu/n/ops/tasks', '/', '/'],
  ['/p/eu/n/ops/tasks', '/p/eu/', '/p/eu/n/ops/tasks'],
  ['/p/eu/n/ops/tasks', '/p/e/', '/p/e/'],
  ['/n/ops/tasks', '/p/eu/', '/p/eu/'],
])('after %s the server at %s shows %s', (left, home, page) => {
  expect(pageToReturn(left, home)).toBe(page);
});

test('a crashing page is loaded three times a minute', () => {
  let reloads: readonly number[] = [];
  const at = (now: number) => {
    const plan = planReload(reloads, now);
    reloads = plan.reloads;
    return plan.reload;
  };
  expect([0, 1_000, 2_000, 3_000, 59_000, 60_000, 61_500].map(at)).toEqual([true, true, true, false, false, true, true]);
});

test.each([
  ['/n/ops/inbox?item=ToolApproval/ops/refund', true],
  ['/p/eu/n/ops/task-approvals/refund', true],
  ['/n/ops/tasks?peek=ToolApproval%2Fops%2Frefund%2Fyaml', true],
  ['/n/ops/inbox', false],
  ['/n/ops/tool-approvals', false],
  ['/n/ops/tasks?peek=Task%2Fops%2Frefund', false],
])('whether an approval is open at %s: %s', (path, expected) => {
  expect(opensApproval(`http://127.0.0.1:4000${path}`)).toBe(expected);
  expect(opensApproval(path)).toBe(false);
});
