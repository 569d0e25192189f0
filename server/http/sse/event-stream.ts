// One open SSE response: sends frames with back-pressure, closes a reader that does not keep up, and says why when it ends.
import type { ServerResponse } from 'node:http';
import { cut } from '../outflow/cut.ts';
import { frame, KEEP_ALIVE } from './frame.ts';

/** Reason in the `data` of the `close` event that ends a stream. */
export type CloseReason =
  | 'server_shutting_down'
  | 'max_watch_duration_reached'
  | 'slow_consumer'
  | 'task_finished'
  | 'session_deleted'
  | 'unauthorized'
  | 'forbidden'
  | 'internal_error';

export interface StreamLimits {
  readonly streamDurationMs: number;
  readonly streamBufferedMaxBytes: number;
  readonly streamSlowGraceMs: number;
}

/** Frames that a stream sends by itself. */
export interface StreamFrames {
  readonly keepAlive: Buffer;
  /** The last frame of a stream that the server ends; undefined: none. */
  readonly lastFrame: (reason: CloseReason) => Buffer | undefined;
}

export const EVENT_STREAM_TYPE = 'text/event-stream';

/** How long the last bytes may take to leave before the connection is cut. */
const LINGER_MS = 5_000;

const LARGE_FRAME_BYTES = 65_536;

/** Small frames together, large ones by themselves. */
function runsOf(frames: readonly Buffer[]): Buffer[] {
  const runs: Buffer[][] = [[]];
  for (const each of frames) {
    if (each.length < LARGE_FRAME_BYTES) runs.at(-1)?.push(each);
    else runs.push([each], []);
  }
  return runs.flatMap((run) => (run.length === 1 ? run : run.length > 1 ? [Buffer.concat(run)] : []));
}

export class EventStream {
  readonly #response: ServerResponse;
  readonly #limits: StreamLimits & Partial<StreamFrames>;
  readonly #ended: AbortController;
  readonly #expiry: NodeJS.Timeout;
  #closeReason: CloseReason | undefined;

  /** Sends the head. `ended` is aborted when the stream ends. */
  constructor(response: ServerResponse, limits: StreamLimits & Partial<StreamFrames>, ended: AbortController) {
    this.#response = response;
    this.#limits = limits;
    this.#ended = ended;
    this.#expiry = setTimeout(() => this.close('max_watch_duration_reached'), limits.streamDurationMs);
    this.#expiry.unref();
    response.once('close', () => this.#end());
    response.on('error', () => this.#end());
    response.writeHead(200, { 'Content-Type': EVENT_STREAM_TYPE, 'X-Accel-Buffering': 'no', Connection: 'close' });
    response.flushHeaders();
    // The client left before this: no event follows.
    if (response.destroyed) this.#end();
  }

  /** Aborts once the stream has ended, on either side. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Set once `close` has ended the stream; undefined while it is open, and when the client has ended it. */
  get closeReason(): CloseReason | undefined {
    return this.#closeReason;
  }

  /** Writes frames as one chunk. Waits while the reader is behind; false when the stream has ended. */
  async send(frames: readonly Buffer[]): Promise<boolean> {
    if (!this.#write(frames)) return !this.signal.aborted;
    if (this.#response.writableLength > this.#limits.streamBufferedMaxBytes && !(await this.#drained())) this.close('slow_consumer');
    return !this.signal.aborted;
  }

  /** Writes frames that may wait: they go once the reader has taken what was written, however long that takes. False when the stream has ended. */
  async sendInTime(frames: readonly Buffer[]): Promise<boolean> {
    while (this.#response.writableNeedDrain && !this.signal.aborted) await this.#ready();
    this.#write(frames);
    return !this.signal.aborted;
  }

  /** True when something was written. */
  #write(frames: readonly Buffer[]): boolean {
    if (this.signal.aborted || frames.length === 0) return false;
    // Large frames are not copied: watchers of one change share them. The writes of one turn of the event loop leave together by themselves;
    // after `cork()`, Node 22 may emit no `drain`.
    for (const run of runsOf(frames)) this.#response.write(run);
    return true;
  }

  /** Resolves when the response takes more, or the stream has ended. */
  #ready(): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        this.#response.off('drain', finish);
        this.signal.removeEventListener('abort', finish);
        resolve();
      };
      this.#response.on('drain', finish);
      this.signal.addEventListener('abort', finish);
    });
  }

  /** Unless the reader is behind anyway. */
  keepAlive(): void {
    if (!this.signal.aborted && this.#response.writableLength === 0) this.#response.write(this.#limits.keepAlive ?? KEEP_ALIVE);
  }

  /** Sends the `close` event and ends the response. Idempotent. */
  close(reason: CloseReason): void {
    if (this.signal.aborted) return;
    this.#closeReason = reason;
    this.#end();
    this.#response.end(this.#limits.lastFrame ? this.#limits.lastFrame(reason) : frame('close', { reason }));
    this.#cutLater();
  }

  #cutLater(): void {
    const response = this.#response;
    const timer = setTimeout(() => response.socket && cut(response.socket), LINGER_MS).unref();
    response.once('close', () => clearTimeout(timer));
  }

  /** Sends these frames and ends the response without an event of its own, for protocols that have none. Idempotent. */
  async finish(frames: readonly Buffer[]): Promise<void> {
    if (!(await this.send(frames))) return;
    this.#end();
    this.#response.end();
    this.#cutLater();
  }

  #end(): void {
    clearTimeout(this.#expiry);
    this.#ended.abort();
  }

  /** True once the reader has taken everything; false when its time is up first. */
  #drained(): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (caughtUp: boolean) => () => {
        clearTimeout(timer);
        this.#response.off('drain', onDrain);
        this.signal.removeEventListener('abort', onEnd);
        resolve(caughtUp);
      };
      const onDrain = finish(true);
      const onEnd = finish(false);
      const timer = setTimeout(onEnd, this.#limits.streamSlowGraceMs);
      timer.unref();
      this.#response.on('drain', onDrain);
      this.signal.addEventListener('abort', onEnd);
    });
  }
}
