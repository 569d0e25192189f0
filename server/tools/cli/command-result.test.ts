import { expect, test } from 'vitest';
import { callError } from '../../testing/call-error.ts';
import type { IsolatedResult } from '../isolation/isolation.ts';
import { commandOutput } from './command-result.ts';

function output(result: Partial<IsolatedResult>, which: 'stdout' | 'stderr' | 'both' = 'stdout', secrets: readonly string[] = []) {
  const none = { stdout: false, stderr: false };
  const ended = {
    stdout: '',
    stderr: '',
    truncated: none,
    exitCode: 0,
    oomKilled: false,
    facts: { mode: 'none', backend: 'process' },
    ...result,
  } as const;
  return commandOutput(ended, { output: which, title: 'Tool "t/x"', secrets });
}

test.each([
  [{ stdout: 'o\n', stderr: 'e' }, 'stdout', 'o\n'],
  [{ stdout: 'o\n', stderr: 'e' }, 'stderr', 'e'],
  [{ stdout: 'o\n', stderr: 'e' }, 'both', 'o\ne'],
  [{ stdout: 'o', stderr: 'e' }, 'both', 'o\ne'],
  [{ stdout: '', stderr: 'e' }, 'both', 'e'],
  [{ stdout: 'o', truncated: { stdout: false, stderr: true } }, 'stdout', 'o'],
] as const)('%j as %s is %j', (result, which, text) => {
  expect(output(result, which)).toBe(text);
});

test.each([
  [{ exitCode: 7, stderr: ' no such thing\n' }, 'execution_failed', 'exit_7', true, 'ended with exit code 7: no such thing'],
  [{ exitCode: 1 }, 'execution_failed', 'exit_1', true, 'exit code 1'],
  [{ exitCode: 139 }, 'execution_failed', 'signal_sigsegv', true, 'SIGSEGV'],
  [{ exitCode: 143, signal: 'SIGTERM' }, 'execution_failed', 'signal_sigterm', true, 'SIGTERM'],
  [{ exitCode: 137, oomKilled: true }, 'execution_failed', 'oom_killed', false, 'memory'],
  [{ exitCode: 0, oomKilled: true, stdout: 'half' }, 'execution_failed', 'oom_killed', false, 'memory'],
  [{ truncated: { stdout: true, stderr: false } }, 'malformed_response', 'response_too_large', false, '1048576 bytes'],
  [{ stdout: 'a\0b' }, 'malformed_response', 'not_text', false, 'binary'],
] as const)('%j is a typed failure', (result, code, reason, retryable, message) => {
  const error = callError(() => output(result));
  expect(error).toMatchObject({ code, reason, retryable, isolation: { mode: 'none' } });
  expect(error.message).toContain(message);
});

test('the error text of a command is cut, and holds no secret, not even the end of one', () => {
  const error = callError(() => output({ exitCode: 1, stderr: `hunter2-secret${'x'.repeat(1_993)}` }, 'stdout', ['hunter2-secret']));
  expect(error.message.length).toBeLessThan(2_100);
  expect(error.message).not.toContain('secret');
});
