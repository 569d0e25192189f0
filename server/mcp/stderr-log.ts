// Standard error of MCP programs in the log, a record for each line, bounded in length and rate.
import { StringDecoder } from 'node:string_decoder';
import { redactLines } from '../egress/redact.ts';
import type { Logger } from '../log/log.ts';
import type { StdioProgram } from './connection.ts';
import { STDERR_CHARS_PER_SECOND_MAX, STDERR_LINE_MAX_CHARS, STDERR_LINES_PER_SECOND_MAX, STDERR_TAIL_BYTES } from './limits.ts';

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
    async start(events, signal) {
      const lines = lineLogger(options);
      const stderr = (bytes: Buffer) => {
        events.stderr(bytes);
        lines.push(bytes);
      };
      const running = await program.start({ ...events, stderr }, signal).catch((error: unknown) => {
        lines.end();
        throw error;
      });
      const { input, ended, facts } = running;
      return {
        input,
        ended,
        ...(facts && { facts }),
        terminate: () => running.terminate(),
        kill: () => running.kill().finally(lines.end),
      };
    },
  };
}

interface LineLogger {
  readonly push: (bytes: Buffer) => void;
  /** Writes what is left of a line. Idempotent. */
  readonly end: () => void;
}

function lineLogger({ log, server, secrets }: StderrLog): LineLogger {
  const decoder = new StringDecoder('utf8');
  let partial = '';
  let second = { since: 0, count: 0, chars: 0, isOver: false };
  const write = (line: string) => {
    const now = performance.now();
    if (now - second.since > 1_000) second = { since: now, count: 0, chars: 0, isOver: false };
    if (second.isOver) return;
    second.count += 1;
    second.chars += line.length;
    second.isOver = second.count > STDERR_LINES_PER_SECOND_MAX || second.chars > STDERR_CHARS_PER_SECOND_MAX;
    if (second.isOver) return log.warn({ server }, 'an MCP program writes too much to its standard error');
    log.info({ server, line: redactLines(line, secrets).slice(0, STDERR_LINE_MAX_CHARS) }, 'an MCP program wrote to its standard error');
  };
  const take = (text: string) => {
    const [last = '', ...ended] = (partial + text).split(/\r?\n/).reverse();
    partial = last.slice(0, STDERR_TAIL_BYTES);
    for (const line of ended.reverse()) if (line.trim() !== '') write(line);
  };
  return { push: (bytes) => take(decoder.write(bytes)), end: () => take(`${decoder.end()}\n`) };
}
