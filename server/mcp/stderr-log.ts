// Standard error of MCP programs in the log, a record for each line, bounded in length and rate.
import { StringDecoder } from 'node:string_decoder';
import { redact } from '../egress/redact.ts';
import type { Logger } from '../log/log.ts';
import type { StdioProgram } from './connection.ts';
import { STDERR_LINE_MAX_CHARS, STDERR_LINES_PER_SECOND_MAX, STDERR_TAIL_BYTES } from './limits.ts';

interface StderrLog {
  readonly log: Logger;
  /** `namespace/name` of the McpServer. */
  readonly server: string;
  /** Values that are masked. */
  readonly secrets: ReadonlySet<string>;
}

export function withStderrLog(program: StdioProgram, options: StderrLog): StdioProgram {
  return {
    ...program,
    start(events, signal) {
      const push = lineLogger(options);
      const stderr = (bytes: Buffer) => {
        events.stderr(bytes);
        push(bytes);
      };
      return program.start({ ...events, stderr }, signal);
    },
  };
}

function lineLogger({ log, server, secrets }: StderrLog): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let partial = '';
  let second = { since: 0, count: 0 };
  const write = (line: string) => {
    const now = performance.now();
    if (now - second.since > 1_000) second = { since: now, count: 0 };
    second.count += 1;
    if (second.count > STDERR_LINES_PER_SECOND_MAX + 1) return;
    if (second.count > STDERR_LINES_PER_SECOND_MAX) return log.warn({ server }, 'an MCP program writes too much to its standard error');
    // A secret of several lines never stands in one line as a whole.
    const masked = redact(
      line,
      [...secrets].flatMap((secret) => [secret, ...secret.split(/\r?\n/)]),
    );
    log.info({ server, line: masked.slice(0, STDERR_LINE_MAX_CHARS) }, 'an MCP program wrote to its standard error');
  };
  return (bytes) => {
    const [last = '', ...ended] = (partial + decoder.write(bytes)).split(/\r?\n/).reverse();
    partial = last.slice(0, STDERR_TAIL_BYTES);
    for (const line of ended.reverse()) if (line.trim() !== '') write(line);
  };
}
