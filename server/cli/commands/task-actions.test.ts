// Output of `svcctl cancel` for the states in which a cancel is answered.
import { Command } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import type { Invocation } from '../program/invocation.ts';
import { setupCancel } from './task-actions.ts';

test.each([
  ['Failed', 'task/job cancelled'],
  ['Running', 'task/job cancel requested; it is still Running'],
])('a cancel that is answered with phase %s prints "%s"', async (phase, line) => {
  const lines: string[] = [];
  const client = { send: () => Promise.resolve({ body: { kind: 'Task', status: { phase } } }) };
  const invocation = {
    connect: () => Promise.resolve({ client, namespace: 'default' }),
    out: (text: string) => lines.push(text),
  } as unknown as Invocation;
  const command = new Command();
  setupCancel(command, async (action) => void (await action(invocation)));
  await command.parseAsync(['job'], { from: 'user' });
  expect(lines).toEqual([line]);
});
