// Transport over a child process: exactly the given environment, JSON lines of bounded length, the end of standard error, and its whole process group ended.
import { spawn, type ChildProcess } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isObject } from '@svc/shared/json';
import { CallError } from '../../engine/ports.ts';
import { signalTree } from '../../tools/isolation/process/process-tree.ts';
import { programOf, startError } from '../../tools/isolation/process/run-process.ts';
import { MESSAGE_MAX_BYTES, STDERR_TAIL_BYTES, STDIN_WAITING_MAX_BYTES, UNSOLICITED_PER_SECOND_MAX } from '../limits.ts';
import { tooLarge } from './guarded-fetch.ts';

/** Between the end of its input, SIGTERM and SIGKILL. */
const ENDING_STEP_MS = 2_000;

export interface StdioOptions {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly searchPath: string;
  readonly what: string;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Why the transport closed by itself. */
  failure: CallError | undefined;
  readonly #options: StdioOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #stderr = Buffer.alloc(0);
  #unsolicited = { since: 0, count: 0 };
  #closing = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  stderrTail(): string {
    return this.#stderr.toString('utf8');
  }

  async start(): Promise<void> {
    const { command, env, searchPath, what } = this.#options;
    const child = spawn(programOf({ command, what }, searchPath), command.slice(1), {
      argv0: command[0],
      env: { ...env },
      cwd: '/',
      // A group of its own, so that it can be ended as a whole.
      detached: true,
      stdio: 'pipe',
      shell: false,
    });
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('close', () => resolve()));
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (bytes: Buffer) => this.#read(bytes));
    child.stderr?.on('data', (bytes: Buffer) => {
      const all = Buffer.concat([this.#stderr, bytes]);
      this.#stderr = all.subarray(Math.max(0, all.length - STDERR_TAIL_BYTES));
    });
    const spawned = new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    await spawned.catch((error: unknown) => {
      throw startError(error, { command, what });
    });
    child.once('exit', (code, signal) => this.#end(exitError(what, { code, signal })));
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    const { what } = this.#options;
    if (!input?.writable || this.failure) return Promise.reject(this.failure ?? lost(`${what} is not running`));
    if (input.writableLength > STDIN_WAITING_MAX_BYTES) return Promise.reject(lost(`${what} does not read its input`));
    return new Promise((resolve, reject) => {
      input.write(`${JSON.stringify(message)}\n`, (error) =>
        error ? reject(this.failure ?? lost(`${what} closed its input`)) : resolve(),
      );
    });
  }

  /** Closes its input first, so that the program can end by itself. */
  async close(): Promise<void> {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    if (!this.#closing) {
      this.#closing = true;
      this.#child?.stdin?.end();
      if (!(await this.#exitsWithin(ENDING_STEP_MS))) signalTree(pid, 'SIGTERM');
      if (!(await this.#exitsWithin(ENDING_STEP_MS))) signalTree(pid, 'SIGKILL');
      // Children in the background end with the program.
      signalTree(pid, 'SIGKILL');
      this.#child?.stdout?.destroy();
      this.#child?.stderr?.destroy();
      this.onclose?.();
    }
    await this.#exited;
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    if (this.#child?.exitCode !== null || this.#child.signalCode !== null) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const exited = await Promise.race([this.#exited.then(() => true), late]);
    clearTimeout(timer);
    return exited;
  }

  #end(failure: CallError): void {
    if (this.#closing) return;
    this.#closing = true;
    this.failure ??= failure;
    const pid = this.#child?.pid;
    if (pid !== undefined) signalTree(pid, 'SIGKILL');
    this.#child?.stdout?.destroy();
    this.onclose?.();
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(10); end >= 0 && !this.#closing; end = rest.indexOf(10)) {
      this.#keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = Buffer.concat(this.#partial).toString('utf8').trim();
      this.#partial = [];
      this.#partialBytes = 0;
      if (line !== '' && !this.#closing) this.#take(line);
    }
    this.#keep(rest);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0 || this.#closing) return;
    this.#partial.push(bytes);
    this.#partialBytes += bytes.length;
    if (this.#partialBytes <= MESSAGE_MAX_BYTES) return;
    this.#partial = [];
    this.#end(tooLarge(this.#options.what));
  }

  #take(line: string): void {
    const message = parsed(line);
    const answer = message !== undefined && !('method' in message);
    if (!answer && this.#floods()) {
      const text = `${this.#options.what} sent more than ${UNSOLICITED_PER_SECOND_MAX} messages in a second that answer nothing, and was ended`;
      return this.#end(new CallError('malformed_response', text, { retryable: false, reason: 'flood' }));
    }
    if (message === undefined) this.onerror?.(new Error('a line is no JSON-RPC message'));
    else this.onmessage?.(message);
  }

  #floods(): boolean {
    const now = performance.now();
    if (now - this.#unsolicited.since > 1_000) this.#unsolicited = { since: now, count: 0 };
    this.#unsolicited.count += 1;
    return this.#unsolicited.count > UNSOLICITED_PER_SECOND_MAX;
  }
}

/** Programs that print other text to standard output are tolerated: such a line is skipped. */
function parsed(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value.jsonrpc === '2.0' ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

function exitError(what: string, { code, signal }: { readonly code: number | null; readonly signal: string | null }): CallError {
  return lost(`${what} ended ${signal === null ? `with exit code ${code ?? 0}` : `by ${signal}`}`);
}

export function lost(message: string): CallError {
  return new CallError('execution_failed', message, { retryable: true, reason: 'connection_lost' });
}
