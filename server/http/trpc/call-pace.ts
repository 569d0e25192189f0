// The pace of one caller's calls: how many of a WebSocket run at once, how fast its subscriptions may send, and when a call may begin. Independent of procedures.
import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { ServiceError } from '@svc/shared/errors';
import type { WebSocket } from 'ws';
import { approximateSize } from '../../registry/watch/change-ring.ts';
import { PAGE_MAX_BYTES, PORTION_MAX_BYTES } from '../../store/page-bytes.ts';
import type { Outflow } from '../outflow/outflow.ts';
import { Turns } from '../outflow/turns.ts';
import type { CallPace, SocketStreams } from './context.ts';

/** Far more than a page of the console opens. */
export const STREAMS_MAX = 32;
/** Calls of one socket that have no answer yet. */
const CALLS_MAX = 32;
/** Calls of one socket that run at a time: each may produce a page of an answer. */
const WORKED_ON_MAX = 1;
/** Unsent bytes past which a socket is given nothing more to send. */
const UNSENT_MAX_BYTES = 256 * 1024;
/** Unsent bytes that only a client can cause that sends without reading. */
const UNSENT_CUT_BYTES = 64 * 1024 * 1024;
/** Pages of one batch over HTTP together; those that come after that are short. */
const BATCH_MAX_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

export interface SocketPaceOptions {
  readonly socket: WebSocket;
  /** The connection under it, which says when it has sent. */
  readonly connection: Duplex;
  readonly outflow: Outflow;
  /** Takes a permit for a call. Throws `rate_limited`. */
  readonly takePermit: () => void;
}

export interface SocketPace {
  readonly calls: CallPace;
  readonly streams: SocketStreams;
}

export function socketPace({ socket, connection, outflow, takePermit }: SocketPaceOptions): SocketPace {
  const hasRoom = () => socket.bufferedAmount <= UNSENT_MAX_BYTES;
  const working = new Turns({ max: WORKED_ON_MAX, hasRoom });
  const sending = new Turns({ max: 1, hasRoom });
  const ended = new AbortController();
  // Each call and each stream that waits listens.
  setMaxListeners(0, ended.signal);
  let open = 0;
  let underWay = 0;
  const onDrain = () => {
    if (socket.isPaused) socket.resume();
    working.wake();
    sending.wake();
  };
  // Stops reading from a client that does not read its answers: each message and each ping causes an answer.
  const hold = () => {
    if (socket.bufferedAmount > UNSENT_CUT_BYTES) socket.terminate();
    else if (!hasRoom()) socket.pause();
  };
  socket.on('message', hold).on('ping', hold);
  connection.on('drain', onDrain);
  socket.once('close', () => ended.abort());

  const begin = async (type: string): Promise<() => void> => {
    takePermit();
    if (underWay >= CALLS_MAX)
      throw new ServiceError('rate_limited', `One connection has ${CALLS_MAX} calls without an answer at most; wait for one of them`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    underWay += 1;
    try {
      const endWork = await working.take(ended.signal);
      const endTurn = type === 'query' ? await outflow.calls.take(ended.signal).catch(endAndThrow(endWork)) : undefined;
      return () => {
        underWay -= 1;
        endWork();
        endTurn?.();
      };
    } catch (error) {
      underWay -= 1;
      throw error;
    }
  };
  return {
    calls: {
      begin,
      page: (read) => outflow.callPages.run(() => read(PAGE_MAX_BYTES), ended.signal),
      waiting: () => Promise.reject(new ServiceError('invalid', 'This call goes over HTTP, as a GET request to /trpc')),
    },
    streams: {
      enter() {
        if (open >= STREAMS_MAX)
          throw new ServiceError('rate_limited', `One connection follows ${STREAMS_MAX} streams at most; end one of them first`);
        open += 1;
        return () => void (open -= 1);
      },
      async sending() {
        const end = await sending.take(ended.signal);
        await outflow.room(ended.signal).catch(endAndThrow(end));
        return end;
      },
      takeTurn: (read) => outflow.streamPortions.run(read, ended.signal),
    },
  };
}

function endAndThrow(end: () => void): (error: unknown) => never {
  return (error) => {
    end();
    throw error;
  };
}

export interface RequestPace {
  readonly calls: CallPace;
  /** The answers of all its calls are known, or nobody waits for them. */
  end(): void;
}

/** The calls of one batch over HTTP: they take one turn together, from the first query to the answer, except while they only wait for other programs. */
export function requestPace(outflow: Outflow): RequestPace {
  const pages = new Turns({ max: 1, hasRoom: () => true });
  let left = BATCH_MAX_BYTES;
  let turn: Promise<() => void> | undefined;
  let over = false;
  /** Queries that are worked on, and those that wait for another program. */
  let [working, waiting] = [0, 0];
  const enter = async () => {
    if (!over) await (turn ??= outflow.calls.take());
  };
  const leave = () => {
    turn?.then(
      (endTurn) => endTurn(),
      () => undefined,
    );
    turn = undefined;
  };
  const rest = () => {
    working -= 1;
    if (working === 0 && waiting > 0) leave();
  };
  return {
    calls: {
      page: (read) =>
        pages.run(async () => {
          const page = await outflow.callPages.run(() => read(Math.min(PAGE_MAX_BYTES, Math.max(PORTION_MAX_BYTES, left))));
          left -= approximateSize(page);
          return page;
        }),
      async begin(type) {
        if (type !== 'query') return () => undefined;
        working += 1;
        await enter().catch(endAndThrow(rest));
        return rest;
      },
      async waiting(work) {
        waiting += 1;
        rest();
        const result = await work().finally(() => {
          waiting -= 1;
          working += 1;
        });
        await enter();
        return result;
      },
    },
    end() {
      over = true;
      leave();
    },
  };
}
