import { expect, it } from 'vitest';
import { keptLog } from '../testing/background.ts';
import type { StdioProgram } from './connection.ts';
import { withStderrLog } from './stderr-log.ts';

it('masks each line of a secret that has several', () => {
  const { log, lines } = keptLog();
  let stderr: (bytes: Buffer) => void = () => undefined;
  const program = {
    start(events: { readonly stderr: (bytes: Buffer) => void }) {
      stderr = (bytes) => events.stderr(bytes);
    },
  } as unknown as StdioProgram;
  const key = '-----BEGIN KEY-----\nline-one-1234\r\nline-two-5678\n-----END KEY-----';
  const events = { stderr: () => undefined } as unknown as Parameters<StdioProgram['start']>[0];
  void withStderrLog(program, { log, server: 'default/s', secrets: new Set([key]) }).start(events, new AbortController().signal);
  stderr(Buffer.from(`the key is\n${key}\nindented: line-two-5678\n`));
  expect(JSON.stringify(lines)).not.toMatch(/line-(one|two)/);
  expect(JSON.stringify(lines)).toContain('the key is');
});
