// Transport over the streams of a program: JSON lines of bounded length, the end of standard error, and the program ended. Independent of where the program runs.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { readJsonObject } from '@svc/shared/json';
import { endsWithin, systemClock } from '../../clock.ts';
import { CallError } from '../../engine/ports.ts';
import type { IsolationFacts, RunningProgram } from '../../tools/isolation/isolation.ts';
import type { StdioProgram } from '../connection.ts';
import { MESSAGE_MAX_BYTES, STDERR_TAIL_BYTES, STDIN_WAITING_MAX_BYTES } from '../limits.ts';
import { FloodGuard } from './flood-guard.ts';
import { tooLarge } from './guarded-fetch.ts';

/** Between the end of its input, SIGTERM and SIGKILL. */
const ENDING_STEP_MS = 2_000;
/** Pieces of one line before they become one: each takes far more memory than a byte. */
const PIECES_MAX = 1_000;
/** Between the end of its input and its own end. */
const END_AFTER_INPUT_MS = 1_000;

export interface StdioOptions {
  readonly program: StdioProgram;
  readonly what: string;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  onstderr?: () => void;
  /** The package knows transports of programs by these two. Their silence during the negotiation is no failure: the older handshake follows. */
  readonly stderr = null;
  readonly pid = null;
  /** Why the transport closed by itself. */
  failure: CallError | undefined;
  readonly #options: StdioOptions;
  readonly #given = new AbortController();
  #starting: Promise<RunningProgram> | undefined;
  #program: RunningProgram | undefined;
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #stderr = Buffer.alloc(0);
  #isStderrCut = false;
  readonly #flood: FloodGuard;
  #closing = false;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#flood = new FloodGuard(options.what);
  }

  get facts(): IsolationFacts | undefined {
    return this.#program?.facts;
  }

  /** Whole lines: part of a secret would not be recognized as one. */
  stderrTail(): string {
    const text = this.#stderr.toString('utf8');
    return this.#isStderrCut ? (/[\r\n](.*)$/s.exec(text)?.[1] ?? '') : text;
  }

  async start(): Promise<void> {
    const { what, program } = this.#options;
    const events = {
      stdout: (bytes: Buffer) => this.#read(bytes),
      stderr: (bytes: Buffer) => {
        const all = Buffer.concat([this.#stderr, bytes]);
        this.#isStderrCut ||= all.length > STDERR_TAIL_BYTES;
        this.#stderr = all.subarray(Math.max(0, all.length - STDERR_TAIL_BYTES));
        this.onstderr?.();
      },
    };
    this.#starting = program.start(events, this.#given.signal);
    const started = await this.#starting;
    this.#program = started;
    started.input.on('error', () => undefined);
    void started.ended.then((how) => this.#end(lost(`${what} ended ${how}`)));
  }

  send(message: JSONRPCMessage): Promise<void> {
    const program = this.#program;
    const { what } = this.#options;
    if (!program || this.failure) return Promise.reject(this.failure ?? lost(`${what} is not running`));
    const { input } = program;
    if (!input.writable) return this.#refuse(program);
    if (input.writableLength > STDIN_WAITING_MAX_BYTES) return Promise.reject(lost(`${what} does not read its input`));
    this.#flood.sent(message);
    return new Promise((resolve, reject) => {
      input.write(`${JSON.stringify(message)}\n`, (error) => (error ? void this.#refuse(program).catch(reject) : resolve()));
    });
  }

  /** A program that ends closes its input first; how it ended says more. */
  async #refuse({ ended }: RunningProgram): Promise<never> {
    await endsWithin(ended, { clock: systemClock, ms: END_AFTER_INPUT_MS });
    throw this.failure ?? lost(`${this.#options.what} closed its input`);
  }

  /** Closes its input first, so that the program can end by itself. */
  async close(): Promise<void> {
    this.#given.abort(lost(`${this.#options.what} is no longer connected`));
    const program = await this.#starting?.catch(() => undefined);
    if (!program) return;
    if (!this.#closing) {
      this.#closing = true;
      program.input.end();
      const step = { clock: systemClock, ms: ENDING_STEP_MS };
      if (!(await endsWithin(program.ended, step))) program.terminate();
      await endsWithin(program.ended, step);
      // Children in the background end with the program.
      await program.kill();
      this.onclose?.();
    }
    await program.kill();
  }

  #end(failure: CallError): void {
    if (this.#closing) return;
    this.#closing = true;
    this.failure ??= failure;
    // Not before its last words are read: they say why it ended.
    void (this.#program?.kill() ?? Promise.resolve()).then(() => this.onclose?.());
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(10); end >= 0 && !this.#closing; end = rest.indexOf(10)) {
      this.#keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const bytes = this.#partialBytes;
      const line = Buffer.concat(this.#partial).toString('utf8').trim();
      this.#partial = [];
      this.#partialBytes = 0;
      if (!this.#closing) this.#take(line, bytes);
    }
    this.#keep(rest);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0 || this.#closing) return;
    this.#partial.push(bytes);
    if (this.#partial.length > PIECES_MAX) this.#partial = [Buffer.concat(this.#partial)];
    this.#partialBytes += bytes.length;
    if (this.#partialBytes <= MESSAGE_MAX_BYTES) return;
    this.#partial = [];
    this.#end(tooLarge(this.#options.what));
  }

  #take(line: string, bytes: number): void {
    const message = parsed(line);
    const flood = this.#flood.judge(message, bytes);
    if (flood) return this.#end(flood);
    if (line === '') return;
    if (message === undefined) this.onerror?.(new Error('a line is not a JSON-RPC message'));
    else this.onmessage?.(message);
  }
}

/** Programs that print other text to standard output are tolerated: such a line is skipped. */
function parsed(line: string): JSONRPCMessage | undefined {
  const value = readJsonObject(line);
  return value?.jsonrpc === '2.0' ? (value as JSONRPCMessage) : undefined;
}

export function lost(message: string): CallError {
  return new CallError('execution_failed', message, { retryable: true, reason: 'connection_lost' });
}
