// Output of a command: from its attach, or from the pod's log where the attach came too late. The log has everything, with both streams in one.
import type { Readable } from 'node:stream';
import { CapturedStream } from '../captured-stream.ts';
import type { IsolatedRun } from '../isolation.ts';

const NEWLINE = 10;

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly streams: 'separate' | 'merged';
}

export type OutputLimits = Pick<IsolatedRun, 'outputMaxBytes' | 'floodMaxBytes'>;

export class RunOutput {
  readonly #limits: OutputLimits & { readonly onFlood: () => void };
  readonly stdout: CountedStream;
  readonly stderr: CountedStream;

  constructor(limits: OutputLimits, onFlood: () => void) {
    const { outputMaxBytes, floodMaxBytes } = limits;
    this.#limits = { outputMaxBytes, floodMaxBytes, onFlood };
    this.stdout = new CountedStream(this.#limits);
    this.stderr = new CountedStream(this.#limits);
  }

  /** Output of a command that has ended, with its log. */
  async settle(log: Readable): Promise<Output> {
    const { stdout, stderr } = this;
    const logged = new CountedStream(this.#limits);
    for await (const chunk of log as AsyncIterable<Uint8Array>) logged.push(chunk);
    if (isComplete(logged, stdout, stderr)) {
      return {
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: { stdout: stdout.truncated, stderr: stderr.truncated },
        streams: 'separate',
      };
    }
    return { stdout: logged.text(), stderr: '', truncated: { stdout: logged.truncated, stderr: false }, streams: 'merged' };
  }
}

/** Whether the attach brought all that the log has. A log ends every stream's last line, which the command may not have done. */
function isComplete(logged: CountedStream, ...streams: CountedStream[]): boolean {
  const attached = streams.reduce((sum, { bytes }) => sum + bytes, 0);
  const open = streams.filter(({ bytes, last }) => bytes > 0 && last !== NEWLINE).length;
  return logged.bytes <= attached + (logged.last === NEWLINE ? open : 0);
}

class CountedStream extends CapturedStream {
  bytes = 0;
  /** The newest byte. */
  last: number | undefined;

  override push(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength;
    this.last = chunk.at(-1) ?? this.last;
    super.push(chunk);
  }
}
