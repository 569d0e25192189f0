// Updates: off without a feed, downloaded on request, never installed while work runs, the server lives or no copy exists.
import { describe, expect, test } from 'vitest';
import { checkWithDialogs, Updates, type Updater, type UpdatesOptions } from './updates.ts';

function setup(changes: Partial<UpdatesOptions> = {}, updater: Partial<Updater> = {}) {
  const calls: string[] = [];
  const states: string[] = [];
  const updates = new Updates({
    updater: {
      check: () => Promise.resolve('2.0.0'),
      download(onPercent) {
        onPercent(50);
        calls.push('download');
        return Promise.resolve();
      },
      install: () => void calls.push('install'),
      ...updater,
    },
    runningTasks: () => 0,
    approvalShown: () => false,
    backUp: () => Promise.resolve(void calls.push('back up')),
    stopServer: () => Promise.resolve(calls.push('stop') > 0),
    startServer: () => void calls.push('start'),
    onQuitting: (quitting) => void calls.push(quitting ? 'let windows close' : 'keep windows'),
    onState: ({ phase, percent }) => states.push(percent === null ? phase : `${phase} ${percent}`),
    ...changes,
  });
  return { updates, calls, states };
}

test('without a feed everything is off', async () => {
  const { updates, calls } = setup({ updater: undefined });
  expect(await updates.check()).toMatchObject({ phase: 'off' });
  expect(await updates.install()).toMatchObject({ phase: 'off' });
  expect(calls).toEqual([]);
});

test('an update is downloaded and installed on request, after the server ended and a copy was made', async () => {
  const { updates, calls, states } = setup();
  expect(await updates.check()).toMatchObject({ phase: 'available', version: '2.0.0' });
  expect(calls).toEqual([]);
  await updates.install();
  expect(calls).toEqual(['download', 'stop', 'back up', 'let windows close', 'install']);
  expect(states).toEqual(['checking', 'available', 'downloading 0', 'downloading 50', 'ready', 'installing']);
});

test.each([
  ['tasks run', { runningTasks: () => 2 }, '2 runs are active', ['download']],
  ['an approval is open', { approvalShown: () => true }, 'An approval is open', ['download']],
  ['the server does not end', { stopServer: () => Promise.resolve(false) }, 'The server did not end', ['download']],
  ['no copy can be made', { backUp: () => Promise.reject(new Error('disk full')) }, 'disk full', ['download', 'stop', 'start']],
])('an update waits while %s', async (_, changes, message, expected) => {
  const { updates, calls } = setup(changes);
  await updates.check();
  expect(await updates.install()).toMatchObject({ phase: 'blocked', message: expect.stringContaining(message) as string });
  expect(calls).toEqual(expected);
});

test('a blocked update is installed later without another download, also after another check', async () => {
  let running = 1;
  const { updates, calls } = setup({ runningTasks: () => running });
  await updates.check();
  await updates.install();
  running = 0;
  expect(await updates.check()).toMatchObject({ phase: 'blocked' });
  await updates.install();
  expect(calls).toEqual(['download', 'stop', 'back up', 'let windows close', 'install']);
});

const readOnly = new Error('the app is on a read-only disk');
test.each<[string, Updater['install']]>([
  [
    'at once',
    () => {
      throw readOnly;
    },
  ],
  ['by an event', (onFailed) => onFailed(readOnly)],
])('an installation that fails %s starts the server again', async (_, install) => {
  const { updates, calls } = setup({}, { install });
  await updates.check();
  expect(await updates.install()).toMatchObject({ phase: 'failed', message: readOnly.message });
  expect(calls).toEqual(['download', 'stop', 'back up', 'let windows close', 'keep windows', 'start']);
});

test('failures are reported, and the next request tries again', async () => {
  let broken = true;
  const { updates } = setup({}, { download: () => (broken ? Promise.reject(new Error('checksum differs')) : Promise.resolve()) });
  await updates.check();
  expect(await updates.install()).toMatchObject({ phase: 'failed', message: 'checksum differs' });
  broken = false;
  expect(await updates.install()).toMatchObject({ phase: 'installing' });
});

describe('a check by a command of the menu', () => {
  async function dialogsOf(updates: Updates, yes = false): Promise<string[]> {
    const shown: string[] = [];
    await checkWithDialogs(updates, ({ message, detail }) => {
      shown.push(`${message}: ${detail}`);
      return Promise.resolve(yes);
    });
    return shown;
  }

  test.each<[string, ReturnType<typeof setup>, string]>([
    ['no feed', setup({ updater: undefined }), 'Updates are off: This installation names no update server.'],
    ['no newer version', setup({}, { check: () => Promise.resolve(undefined) }), 'This is the newest version: '],
    ['a feed that fails', setup({}, { check: () => Promise.reject(new Error('no route')) }), 'The check for updates failed: no route'],
  ])('reports %s', async (_, { updates }, expected) => {
    expect(await dialogsOf(updates)).toEqual([expected]);
  });

  test('installs after a confirmation, or reports the reason against it', async () => {
    const { updates, calls } = setup({ runningTasks: () => 1 });
    expect(await dialogsOf(updates)).toEqual([expect.stringContaining('Version 2.0.0 is available')]);
    expect(calls).toEqual([]);
    expect((await dialogsOf(updates, true))[1]).toBe('The update was not installed: 1 run is active: wait for the end, or cancel');
    expect(calls).toEqual(['download']);
  });
});
