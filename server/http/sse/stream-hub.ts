// All open streams of this process: admission under the caps, keep-alives, and the end of all of them at shutdown.
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@svc/shared/errors';
import { AddressCounts } from '../gate/address-counts.ts';
import type { Revocations } from '../gate/revocations.ts';
import type { Reply, StreamReply } from '../route.ts';
import { EVENT_STREAM_TYPE, EventStream, type CloseReason, type StreamFrames, type StreamLimits } from './event-stream.ts';

export interface HubOptions extends StreamLimits {
  readonly maxStreams: number;
  readonly maxStreamsPerAddress: number;
  readonly streamKeepAliveMs: number;
  readonly revocations: Pick<Revocations, 'follow'>;
  /** Called when a stream ends by an error of ours. */
  readonly onFailure: (error: unknown) => void;
}

/** Purposes of streams: changes of resources, the log of events, the trace of one run, the events of a Session, a task of A2A, calls over MCP. */
export const STREAM_PURPOSES = ['watch', 'events', 'trace', 'session', 'a2a', 'mcp'] as const;
export type StreamPurpose = (typeof STREAM_PURPOSES)[number];

export interface StreamCaller {
  readonly address: string;
  readonly purpose: StreamPurpose;
  /** Rejects with `unauthorized` or `forbidden` when the caller may not read it any longer; called at each keep-alive, and when a token was revoked. */
  readonly stillAllowed: () => Promise<unknown>;
  /** Frames of protocols with rules of their own; absent: those of this API. */
  readonly frames?: Partial<StreamFrames>;
  /** At the shutdown of the server the feed sends its last frames and ends by itself. */
  readonly endsWithServer?: true;
}

interface Open {
  readonly caller: StreamCaller;
  readonly stream: EventStream;
}

/** Sends frames until there are no more; what it leaves open counts as failed. */
export type Feed = (stream: EventStream) => Promise<void>;

interface Opening {
  readonly caller: StreamCaller;
  readonly feed: Feed;
  readonly ended: AbortController;
}

const RETRY_AFTER_SECONDS = 10;

/** Refusal of a server that stops: another server, or this one after its restart, accepts the request. */
export const shuttingDown = (message: string, headers: Readonly<Record<string, string>> = {}): ServiceError =>
  new ServiceError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, headers });

export class StreamHub {
  readonly #options: HubOptions;
  readonly #open = new Set<Open>();
  readonly #perAddress = new AddressCounts();
  readonly #ticker: NodeJS.Timeout;
  /** Streams that others write. */
  #held = 0;
  readonly #closing = new AbortController();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#ticker = setInterval(() => this.#tick(), options.streamKeepAliveMs);
    this.#ticker.unref();
    // Each wait listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** How many streams of this purpose are open. */
  count(purpose: StreamPurpose): number {
    let count = 0;
    for (const { caller } of this.#open) if (caller.purpose === purpose) count += 1;
    return count;
  }

  /** This server stops, and cuts what is left of its connections. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * A reply that streams until what `open` returns has finished or the stream ends. `open` runs before the head is sent, so that it may still refuse the
   * request; its signal is aborted at the end. Writing the reply throws `unavailable` or `rate_limited` when a cap is reached.
   */
  async reply(caller: StreamCaller, open: (signal: AbortSignal) => Feed | Promise<Feed>): Promise<StreamReply> {
    const ended = new AbortController();
    const feed = await open(ended.signal);
    const write = (response: ServerResponse) => this.#run({ caller, feed, ended }, response);
    return { type: 'stream', contentType: EVENT_STREAM_TYPE, write, drop: () => ended.abort() };
  }

  /** Takes a place under the caps for a stream that is not this hub's to write, a WebSocket. Returns a function that releases the place, once. Throws as a reply does. */
  hold(address: string): () => void {
    this.#admit(address);
    this.#held += 1;
    this.#perAddress.note(address, +1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#held -= 1;
      this.#perAddress.note(address, -1);
    };
  }

  /**
   * Takes the place of a stream before `prepare` starts what it shows: a client repeats a request that a cap refuses. The
   * place is released where the reply is written or dropped. Throws as a reply does.
   */
  async reserve(address: string, prepare: () => Promise<Reply>): Promise<Reply> {
    const giveBack = this.hold(address);
    let isReserved = false;
    try {
      const reply = await prepare();
      if (reply.type !== 'stream') return reply;
      isReserved = true;
      const write = (response: ServerResponse) => {
        giveBack();
        return reply.write(response);
      };
      const drop = () => {
        giveBack();
        return reply.drop?.();
      };
      return { ...reply, write, drop };
    } finally {
      if (!isReserved) giveBack();
    }
  }

  /**
   * Runs a wait for a run; its signal is aborted once the connection of its request has closed, and when this server stops. Throws `unavailable`
   * without a call of `wait` on a server that stops.
   */
  async whileOpen<T>({ socket }: Pick<IncomingMessage, 'socket'>, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    const ended = new AbortController();
    const end = () => ended.abort();
    socket.once('close', end);
    if (socket.destroyed) end();
    this.#closing.signal.addEventListener('abort', end);
    try {
      return await wait(ended.signal);
    } finally {
      socket.off('close', end);
      this.#closing.signal.removeEventListener('abort', end);
    }
  }

  closeAll(reason: CloseReason): void {
    this.#closing.abort();
    clearInterval(this.#ticker);
    for (const { caller, stream } of this.#open) if (!caller.endsWithServer) stream.close(reason);
  }

  #refuseWhenClosed(): void {
    if (this.isClosed) throw shuttingDown('The server is shutting down');
  }

  #admit(address: string): void {
    const { maxStreams, maxStreamsPerAddress } = this.#options;
    const retryAfterSeconds = RETRY_AFTER_SECONDS;
    this.#refuseWhenClosed();
    if (this.#open.size + this.#held >= maxStreams) {
      throw new ServiceError('unavailable', `This server holds its maximum of ${maxStreams} open streams; try again later`, {
        retryAfterSeconds,
      });
    }
    if (this.#perAddress.of(address) >= maxStreamsPerAddress) {
      throw new ServiceError('rate_limited', `Your address holds its maximum of ${maxStreamsPerAddress} open streams; close some first`, {
        retryAfterSeconds,
      });
    }
  }

  async #run({ caller, feed, ended }: Opening, response: ServerResponse): Promise<void> {
    try {
      this.#admit(caller.address);
    } catch (error) {
      ended.abort();
      throw error;
    }
    const open: Open = { caller, stream: new EventStream(response, { ...this.#options, ...caller.frames }, ended) };
    this.#open.add(open);
    this.#perAddress.note(caller.address, +1);
    const unfollow = this.#options.revocations.follow(() => check(open));
    try {
      await feed(open.stream);
    } catch (error) {
      if (!closeRefused(open.stream, error) && !ended.signal.aborted) this.#options.onFailure(error);
    } finally {
      open.stream.close('internal_error');
      unfollow();
      this.#open.delete(open);
      this.#perAddress.note(caller.address, -1);
    }
  }

  #tick(): void {
    for (const open of this.#open) {
      open.stream.keepAlive();
      check(open);
    }
  }
}

function check({ caller, stream }: Open): void {
  caller.stillAllowed().catch((error: unknown) => closeRefused(stream, error));
}

/** Closes the stream of a caller who may not read it any longer. False for any other error. */
function closeRefused(stream: EventStream, error: unknown): boolean {
  if (!(error instanceof ServiceError) || (error.code !== 'unauthorized' && error.code !== 'forbidden')) return false;
  stream.close(error.code);
  return true;
}
