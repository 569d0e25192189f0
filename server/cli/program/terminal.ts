// The world outside a command: streams, environment, working directory, Ctrl-C. The program passes the process's, tests their own.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { Readable } from 'node:stream';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { Screen, type OutputStream } from '../output/screen.ts';
import { programName } from './program-name.ts';

interface World {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls `listener` on each Ctrl-C until the returned function is called; without a listener Ctrl-C ends the process. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** The streams as the process has them; commands get screens instead. */
export interface RawTerminal extends World {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export interface Terminal extends World {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** How svcctl is called from this shell, for hints: `svcctl` or `npx svcctl`. */
  readonly program: string;
}

export const withScreens = (raw: RawTerminal): Terminal => ({
  ...raw,
  stdout: new Screen(raw.stdout),
  stderr: new Screen(raw.stderr),
  program: programName(raw.env),
});

/** Whether to colour what goes to this screen: a terminal, unless NO_COLOR or --no-color says otherwise. */
export function usesColor(screen: Screen, env: Terminal['env'], flag: boolean): boolean {
  return flag && screen.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** All of standard input. */
async function readBytes(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks);
}

function systemReason(cause: unknown): string {
  const { errno = 0, message } = cause as NodeJS.ErrnoException;
  const [, reason = message] = getSystemErrorMap().get(errno) ?? [];
  return reason;
}

/** Error for a path of the command line that the system does not read. */
export const unreadable = (path: string, cause: unknown): CliError =>
  new CliError(`cannot read ${path}: ${systemReason(cause)}`, { exitCode: EXIT.usage, cause });

/** Error for a path of the command line that the system does not write. */
export const unwritable = (path: string, cause: unknown): CliError =>
  new CliError(`cannot write ${path}: ${systemReason(cause)}`, { cause });

/** Bytes of a file, or of standard input for `-`. */
export async function readGiven({ stdin, cwd }: Pick<Terminal, 'stdin' | 'cwd'>, path: string): Promise<Buffer> {
  if (path === '-') return readBytes(stdin);
  return readFile(resolve(cwd, path)).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
}

/** Reads the given input as UTF-8 text. */
export const readGivenText = async (terminal: Pick<Terminal, 'stdin' | 'cwd'>, path: string): Promise<string> =>
  (await readGiven(terminal, path)).toString('utf8');

/** Throws a usage error that names the value when it is no text. */
export function utf8Of(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`${name} is not UTF-8`, 'only text is accepted; encode other data, for example with base64');
  }
}

/** A text written as an option's value: itself, the content of `@file`, or standard input for `-`. `@@` begins a text with an `@`. */
export async function textGiven(terminal: Pick<Terminal, 'stdin' | 'cwd'>, value: string): Promise<string> {
  if (value.startsWith('@@')) return value.slice(1);
  if (value !== '-' && !value.startsWith('@')) return value;
  return utf8Of(await readGiven(terminal, value === '-' ? value : value.slice(1)), 'the text');
}

/** All of standard input as text. */
export async function readAll(stream: Readable): Promise<string> {
  return (await readBytes(stream)).toString('utf8');
}
