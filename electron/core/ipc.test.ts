// Calls from pages: their sender, size and shape are checked before a handler runs.
import { expect, test } from 'vitest';
import { answerCall, CHANNELS, replyTo, type ChannelName, type Handlers } from './ipc.ts';

const ORIGIN = 'http://127.0.0.1:4000';
const page = { url: `${ORIGIN}/n/default`, isMainFrame: true };
const called: unknown[] = [];

const handlers = new Proxy({} as Handlers, {
  get: (_, name: ChannelName) => (input: unknown) => {
    called.push([name, input]);
    return name === 'svc:open-external' || name === 'svc:save-file' ? true : undefined;
  },
});
const call = (name: ChannelName, payload?: unknown, sender = page) => answerCall(handlers, { name, sender, payload }, ORIGIN);

test('a call of the own page runs with the parsed input', async () => {
  called.length = 0;
  expect(await call('svc:open-external', 'https://example.com/')).toBe(true);
  await call('svc:restart-backend');
  expect(called).toEqual([
    ['svc:open-external', 'https://example.com/'],
    ['svc:restart-backend', 'normal'],
  ]);
});

test.each([
  ['a foreign page', { url: 'http://evil.example/', isMainFrame: true }],
  ['a frame of the own page', { ...page, isMainFrame: false }],
  ['another port', { url: 'http://127.0.0.1:4001/', isMainFrame: true }],
  ['a frame that is gone', { url: '', isMainFrame: false }],
])('%s may call no channel', async (_, sender) => {
  called.length = 0;
  for (const name of Object.keys(CHANNELS) as ChannelName[])
    await expect(call(name, undefined, sender)).rejects.toThrow("only the app's own page");
  expect(called).toEqual([]);
});

test('the boot page restarts the server and opens no address', async () => {
  const boot = { url: 'svc-shell://boot/', isMainFrame: true };
  await call('svc:restart-backend', 'safe', boot);
  await expect(call('svc:open-external', 'https://a.example/', boot)).rejects.toThrow('only');
  await expect(call('svc:profiles-list', undefined, boot)).rejects.toThrow('only');
});

test.each<[ChannelName, unknown]>([
  ['svc:restart-backend', 'everything'],
  ['svc:open-external', { url: 'https://a.example' }],
  ['svc:get-info', 'more'],
  ['svc:pick-files', '/etc/passwd'],
  ['svc:save-file', ['name', 'text']],
  ['svc:profiles-save', { id: 'A B', name: 'x', origin: 'https://a.example' }],
  ['svc:profiles-save', { id: 'a', name: 'x', origin: 'file:///etc' }],
  ['svc:profiles-save', { id: 'a', name: 'x', origin: 'https://a.example', admin: true }],
  ['svc:notifications-set', { enabled: 'yes' }],
  ['svc:set-theme', 'purple'],
])('%s refuses %o', async (name, payload) => {
  called.length = 0;
  await expect(call(name, payload)).rejects.toThrow(name);
  expect(called).toEqual([]);
});

test('a call of more than 1 MB is refused, as are cycles', async () => {
  await expect(call('svc:save-file', ['big', new Uint8Array(1024 * 1024 + 1)])).rejects.toThrow('larger than 1 MB');
  expect(await call('svc:save-file', ['small', new Uint8Array(1024)])).toBe(true);
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  await expect(call('svc:profiles-save', cycle)).rejects.toThrow('larger than 1 MB');
  const sparse: unknown[] = [];
  sparse.length = 2 ** 32 - 1;
  for (const huge of [sparse, new String('x'.repeat(1024 * 1024))])
    await expect(call('svc:profiles-save', huge)).rejects.toThrow('larger than 1 MB');
});

test('a reply holds the value, or the message of the error alone', async () => {
  expect(await replyTo(Promise.resolve(7))).toEqual({ value: 7 });
  expect(await replyTo(Promise.reject(new Error('not now')))).toEqual({ error: 'not now' });
});
