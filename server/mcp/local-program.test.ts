// Programs of stdio servers on this machine: what they wrote last is read also when they are ended at once.
import { expect, it } from 'vitest';
import { startLocal } from './local-program.ts';

const start = (script: string, stderr: (bytes: Buffer) => void) =>
  startLocal(
    { command: ['sh', '-c', script], env: {}, searchPath: process.env['PATH'] ?? '', what: 'the program' },
    { stdout: () => undefined, stderr },
  );

/** Holds the event loop, as a busy machine does. */
function hold(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('reads what a program wrote before it was killed', async () => {
  let text = '';
  const program = await start('echo out of ideas >&2; exit 3', (bytes) => (text += bytes.toString()));
  hold(300);
  await program.kill();
  expect(await program.ended).toBe('with exit code 3');
  expect(text).toBe('out of ideas\n');
});

it('waits a bounded time for a process that holds the streams of its program open', async () => {
  const program = await start('setsid sleep 30 & exit 0', () => undefined);
  expect(await program.ended).toBe('with exit code 0');
  const began = performance.now();
  await program.kill();
  expect(performance.now() - began).toBeLessThan(10_000);
});
