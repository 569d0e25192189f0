// Result of a command that ended: its output for the model, or a typed failure. Pure.
import { constants } from 'node:os';
import { redact } from '../../egress/redact.ts';
import { CallError } from '../../engine/ports.ts';
import type { IsolatedResult } from '../isolation/isolation.ts';
import { OUTPUT_MAX_BYTES } from '../runtime.ts';

const STDERR_QUOTE_MAX_CHARS = 2_000;
/** Exit codes past this are, by convention, 128 and the number of a signal. */
const SIGNAL_BASE = 128;

export interface ResultContext {
  readonly output: 'stdout' | 'stderr' | 'both';
  /** Names the tool in errors. */
  readonly title: string;
  /** Values that must not be quoted, not even in part. */
  readonly secrets: readonly string[];
}

/** Throws CallError `execution_failed` for a command that did not end with 0, `malformed_response` for output that no model can be given. */
export function commandOutput(result: IsolatedResult, context: ResultContext): string {
  requireSuccess(result, context);
  const { title, output } = context;
  const { stdout, stderr, truncated, facts } = result;
  const cut = (output !== 'stderr' && truncated.stdout) || (output !== 'stdout' && truncated.stderr);
  const text = output === 'both' ? joined(stdout, stderr) : result[output];
  const fail = (message: string, reason: string) =>
    new CallError('malformed_response', `${title} ${message}`, { retryable: false, reason, isolation: facts });
  if (cut) throw fail(`wrote more than ${OUTPUT_MAX_BYTES} bytes`, 'response_too_large');
  if (text.includes('\0')) throw fail('wrote binary data, and only text can be given to a model', 'not_text');
  return text;
}

/** Throws CallError `execution_failed` with the standard error of the command. */
export function requireSuccess(
  { exitCode, signal, oomKilled, stderr, facts }: IsolatedResult,
  { title, secrets }: Omit<ResultContext, 'output'>,
): void {
  if (exitCode === 0 && !oomKilled) return;
  const said = redact(stderr, secrets).trim().slice(-STDERR_QUOTE_MAX_CHARS);
  const words = said === '' ? '' : `: ${said}`;
  const fail = (message: string, reason: string, retryable: boolean) =>
    new CallError('execution_failed', `${title} ${message}${words}`, { retryable, reason, isolation: facts });
  if (oomKilled) throw fail(`ran out of memory (exit code ${exitCode})`, 'oom_killed', false);
  const ended = signal ?? signalOf(exitCode);
  if (ended !== undefined) throw fail(`was ended by ${ended} (exit code ${exitCode})`, `signal_${ended.toLowerCase()}`, true);
  throw fail(`ended with exit code ${exitCode}`, `exit_${exitCode}`, true);
}

function signalOf(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => exitCode === SIGNAL_BASE + number)?.[0];
}

function joined(stdout: string, stderr: string): string {
  if (stdout === '' || stderr === '') return stdout + stderr;
  return stdout.endsWith('\n') ? stdout + stderr : `${stdout}\n${stderr}`;
}
