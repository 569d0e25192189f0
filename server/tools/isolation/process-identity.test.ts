import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identityOf, isGone } from './process-identity.ts';

test.skipIf(process.platform !== 'linux')('a process counts as ended even when its pid is reused', async () => {
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

test.each(['', 'x', 'another-boot/1/1/1', `${'0'.repeat(36)}/1/99999999/1`])(
  'does not report an unknown identity as ended: %j',
  (identity) => {
    expect(isGone(identity)).toBe(false);
  },
);
