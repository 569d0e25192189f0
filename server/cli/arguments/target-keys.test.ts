// Refusals of options that choose among objects, beside names.
import { expect, test } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { svcctl } = await startCliServer();

test.each([
  [['get', 'agent/a', '-A'], '-A'],
  [['get', 'agent', 'a', '-l', 'x=y'], '-l'],
  [['get', 'task/a', '--field-selector', 'status.phase=Running'], '--field-selector'],
  [['get', 'task/a', '--search', 'words'], '--search'],
  [['get', 'agent/a', '--name-contains', 'a'], '--name-contains'],
  [['describe', 'agent/a', '-A'], '-A'],
  [['describe', 'agent', 'a', '-l', 'x=y'], '-l'],
  [['delete', 'agent/a', '-A'], '-A'],
  [['label', 'agent/a', 'k=v', '--all'], '--all'],
])('refuses %j', async (argv, flag) => {
  const { code, err } = await svcctl(argv);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`error: names cannot be combined with ${flag}\n`) as string });
});
