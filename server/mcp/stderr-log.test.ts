import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { keptLog } from '../testing/background.ts';
import type { StdioProgram } from './connection.ts';
import { withStderrLog } from './stderr-log.ts';

/** A program that writes what the test does, and its log. */
async function start(secrets: ReadonlySet<string> = new Set()) {
  const { log, lines } = keptLog();
  let stderr: (bytes: Buffer) => void = () => undefined;
  const program: StdioProgram = {
    prepare: () => Promise.resolve(),
    start(events) {
      stderr = (bytes) => events.stderr(bytes);
      const kill = () => Promise.resolve();
      return Promise.resolve({ input: new PassThrough(), ended: Promise.resolve('by SIGKILL'), terminate: () => undefined, kill });
    },
  };
  const events = { stdout: () => undefined, stderr: () => undefined };
  const running = await withStderrLog(program, { log, server: 'default/s', secrets }).start(events, new AbortController().signal);
  return { write: (text: string) => stderr(Buffer.from(text)), running, lines };
}

it('masks each line of a secret that has several', async () => {
  const key = '-----BEGIN KEY-----\nline-one-1234\r\nline-two-5678\n-----END KEY-----';
  const { write, lines } = await start(new Set([key]));
  write(`the key is\n${key}\nindented: line-two-5678\n`);
  expect(JSON.stringify(lines)).not.toMatch(/line-(one|two)/);
  expect(JSON.stringify(lines)).toContain('the key is');
});

it('limits the lines and the characters written in a second', async () => {
  const warning = { message: 'an MCP program writes too much to its standard error' };
  for (const [line, count] of [
    ['short', 100],
    ['x'.repeat(60_000), 6],
  ] as const) {
    const { write, lines } = await start();
    write(`${line}\n`.repeat(200));
    expect(lines).toHaveLength(count + 1);
    expect(lines.at(-1)).toMatchObject(warning);
  }
});

it('writes a last line without a line break once the program has ended', async () => {
  const { write, running, lines } = await start();
  write('first\nthe last words');
  expect(lines).toMatchObject([{ fields: { line: 'first' } }]);
  await running.kill();
  await running.kill();
  expect(lines).toMatchObject([{ fields: { line: 'first' } }, { fields: { line: 'the last words' } }]);
});
