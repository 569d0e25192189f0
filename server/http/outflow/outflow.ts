// Unsent bytes of all connections: limits their amount, and cuts connections whose other side does not read.
import type { Socket } from 'node:net';
import { cut } from './cut.ts';
import { Turns } from './turns.ts';
import { unsentBytes } from './write.ts';

export interface OutflowLimits {
  /** Unsent bytes of all connections past which nothing more is read from the store; streams stop at half of it, so that they keep nobody else waiting. */
  readonly unsentMaxBytes: number;
  /** How long a connection may read none of its pending bytes. */
  readonly stalledMs: number;
  /** Shorter limit of `stalledMs` while more than a quarter of `unsentMaxBytes` is in use. */
  readonly stalledFullMs: number;
}

interface Flow {
  /** Bytes that the other side has taken, as of the last change. */
  delivered: number;
  /** When that was. */
  since: number;
}

const LOOK_MS = 500;
/** A sum this old still counts: it is made by looking at every connection. */
const SUM_VALID_MS = 5;
/** A write in progress shows nothing until all of it has left, and one message of a WebSocket is one write: it has this much more time. */
const SLOWEST_BYTES_PER_MS = 256;

/** Lists that read their first portion at the same time: each read holds the event loop for some milliseconds. */
const FIRST_PORTIONS_MAX = 4;
/** Lists that read a further portion at the same time. They wait for the client more often than for this limit. */
const PORTIONS_MAX = 2;
/** Streams that read a portion at the same time. */
const STREAM_PORTIONS_MAX = 2;
/** Answers of REST that are read whole, at a time. */
const ANSWERS_MAX = 32;
/** Limit of such answers for one external program: a program that hangs delays only its own answers. */
const ANSWERS_OF_OTHER_MAX = 8;
/** Limit of unsent bytes for a new list, as a multiple of the limit for a list in progress. */
const FIRST_PORTIONS_SHARE = 1.25;
/** Batches of the console and calls of its sockets that are worked on at a time: a batch may bring 32 answers. */
const CALLS_MAX = 4;
/** Pages of those calls that are read at a time: each is as large as sixteen portions. */
const CALL_PAGES_MAX = 2;

export class Outflow {
  readonly #limits: OutflowLimits;
  readonly #flows = new Map<Socket, Flow>();
  #ticker: NodeJS.Timeout | undefined;
  readonly #lanes: readonly Turns[];
  /** Small lists have one portion: they do not wait behind the rest of large ones. */
  readonly firstPortions: Turns;
  readonly portions: Turns;
  readonly streamPortions: Turns;
  readonly answers: Turns;
  readonly calls: Turns;
  readonly callPages: Turns;
  /** Waits of streams that only need room. */
  readonly #room: Turns;
  /** Turns of the program that answers, while callers wait for it. */
  readonly #others = new Map<string, { readonly turns: Turns; askers: number }>();
  #unsent = 0;
  #summedAt = -Infinity;

  constructor(limits: OutflowLimits) {
    this.#limits = limits;
    const { unsentMaxBytes } = limits;
    const hasRoom = () => this.#hasRoom(unsentMaxBytes);
    const forStreams = () => this.#hasRoom(unsentMaxBytes / 2);
    // Room for the answers of others, while those of large lists fill all of theirs.
    const forFirst = () => this.#hasRoom(unsentMaxBytes * FIRST_PORTIONS_SHARE);
    this.firstPortions = new Turns({ max: FIRST_PORTIONS_MAX, hasRoom: forFirst });
    this.portions = new Turns({ max: PORTIONS_MAX, hasRoom });
    this.answers = new Turns({ max: ANSWERS_MAX, hasRoom });
    this.calls = new Turns({ max: CALLS_MAX, hasRoom });
    this.callPages = new Turns({ max: CALL_PAGES_MAX, hasRoom: () => true });
    this.streamPortions = new Turns({ max: STREAM_PORTIONS_MAX, hasRoom: forStreams });
    this.#room = new Turns({ max: Infinity, hasRoom: forStreams });
    this.#lanes = [this.firstPortions, this.portions, this.streamPortions, this.answers, this.calls, this.#room];
  }

  /** From its first byte to its end, whatever protocol it speaks. */
  watch(socket: Socket): void {
    this.#flows.set(socket, { delivered: 0, since: performance.now() });
    // A server that nobody is connected to is not woken.
    this.#ticker ??= setInterval(() => this.#look(), LOOK_MS).unref();
    socket.once('close', () => {
      this.#flows.delete(socket);
      if (this.#flows.size > 0) return;
      this.stop();
      this.#look();
    });
  }

  /** Resolves when a stream may send more; rejects when the signal is aborted. */
  async room(signal: AbortSignal): Promise<void> {
    await this.#room.run(() => Promise.resolve(), signal);
  }

  /** Makes an answer that another program, known as `program`, gives to this server. Rejects as a turn does. */
  async fromOther<T>(program: string, work: () => Promise<T>): Promise<T> {
    const hasRoom = () => this.#hasRoom(this.#limits.unsentMaxBytes);
    const busy = `${ANSWERS_OF_OTHER_MAX} requests wait for ${program} already`;
    const lane = this.#others.get(program) ?? { turns: new Turns({ max: ANSWERS_OF_OTHER_MAX, hasRoom, busy }), askers: 0 };
    this.#others.set(program, lane);
    lane.askers += 1;
    try {
      return await lane.turns.run(work);
    } finally {
      lane.askers -= 1;
      if (lane.askers === 0) this.#others.delete(program);
    }
  }

  stop(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #hasRoom(maxBytes: number): boolean {
    if (performance.now() - this.#summedAt > SUM_VALID_MS) this.#sum();
    return this.#unsent <= maxBytes;
  }

  #sum(): void {
    this.#unsent = 0;
    for (const socket of this.#flows.keys()) this.#unsent += unsentBytes(socket);
    this.#summedAt = performance.now();
  }

  #look(): void {
    const now = performance.now();
    const stalled: Socket[] = [];
    for (const [socket, flow] of this.#flows) {
      const unsent = unsentBytes(socket);
      const delivered = socket.bytesWritten - socket.writableLength;
      if (unsent === 0 || delivered !== flow.delivered) [flow.delivered, flow.since] = [delivered, now];
      const stalledMs = now - flow.since;
      if (stalledMs >= this.#limits.stalledMs + socket.writableLength / SLOWEST_BYTES_PER_MS) cut(socket);
      else if (stalledMs >= this.#limits.stalledFullMs) stalled.push(socket);
    }
    this.#sum();
    this.#cut(stalled);
    for (const lane of this.#lanes) lane.wake();
    for (const { turns } of this.#others.values()) turns.wake();
  }

  /** Ends those that hold most, until three quarters of what may wait are free: they read nothing, and others wait. */
  #cut(stalled: Socket[]): void {
    const enough = this.#limits.unsentMaxBytes / 4;
    if (this.#unsent <= enough) return;
    for (const socket of stalled.sort((a, b) => unsentBytes(b) - unsentBytes(a))) {
      if (this.#unsent <= enough) return;
      this.#unsent -= unsentBytes(socket);
      cut(socket);
    }
  }
}
