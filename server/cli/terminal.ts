// The world outside a command: streams, environment, working directory, Ctrl-C. The program passes the process's, tests their own.
import type { Readable, Writable } from 'node:stream';

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls `listener` on each Ctrl-C until the returned function is called; without a listener Ctrl-C ends the process. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** Whether to colour what goes to this stream: a terminal, unless NO_COLOR or --no-color says otherwise. */
export function wantsColor(stream: OutputStream, env: Terminal['env'], flag: boolean): boolean {
  return flag && stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** All of standard input as text. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString('utf8');
}
