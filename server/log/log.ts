// Structured logs. JSON lines on stdout by default; `pretty` is for people at a terminal. Secrets and prompts are never passed in.
import { formatWithOptions } from 'node:util';
import { pino, type Logger as PinoLogger } from 'pino';
import { errorRecord, withoutCredentials } from './error-record.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];
export type LogFormat = 'json' | 'pretty';
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

const LEVEL_NAMES: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** One line per record: `HH:MM:SS level message key=value …`. */
function formatPretty(line: string): string {
  const { level, time, msg, pid: _pid, hostname: _hostname, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return `${[clock, (LEVEL_NAMES[level as number] ?? String(level)).padEnd(5), typeof msg === 'string' ? msg : '', ...fields].join(' ')}\n`;
}

export interface LogSink {
  write(line: string): unknown;
}

/** `sink` receives whole lines; default standard output, written synchronously so that the first line is out before anything else happens. */
export function createLogger(options: { level: LogLevel; format: LogFormat; sink?: LogSink }): Logger {
  const sink = options.sink ?? process.stdout;
  const destination = options.format === 'pretty' ? { write: (line: string) => sink.write(formatPretty(line)) } : sink;
  const serializers = { err: (error: unknown) => errorRecord(error) };
  return pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination);
}

const CONSOLE_MAX_CHARS = 2_000;

/** Turns what libraries print into records: standard output has lines of the log only. */
export function logConsole(log: Logger): void {
  const record = (...values: unknown[]) => {
    const text = withoutCredentials(formatWithOptions({ depth: 2 }, ...values)).slice(0, CONSOLE_MAX_CHARS);
    log.info({ text }, 'a library wrote to the console');
  };
  Object.assign(console, { log: record, info: record, warn: record, error: record, debug: record, trace: record });
}
