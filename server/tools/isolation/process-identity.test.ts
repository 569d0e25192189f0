import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identityOf, isGone } from './process-identity.ts';

test.skipIf(process.platform !== 'linux')('a process is gone when it has ended, and its number alone does not bring it back', async () => {
  const child = spawn('sleep', ['60']);
  const identity = identityOf(child.pid ?? 0) ?? '';
  expect(identity).toMatch(/^[0-9a-f-]{36}\/\d+\/\d+\/\d+$/);
  expect(isGone(identity)).toBe(false);
  expect(isGone(identity.replace(/\d+$/, '1'))).toBe(true);
  child.kill();
  await once(child, 'exit');
  expect(isGone(identity)).toBe(true);
  expect(isGone(identityOf(process.pid) ?? '')).toBe(false);
});

test.each(['', 'x', 'another-boot/1/1/1', `${'0'.repeat(36)}/1/99999999/1`])('of others nobody can tell: %j', (identity) => {
  expect(isGone(identity)).toBe(false);
});
