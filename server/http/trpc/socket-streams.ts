// How many subscriptions one WebSocket holds, and how fast they may send. It knows no procedure.
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@svc/shared/errors';
import type { WebSocket } from 'ws';
import type { SocketStreams } from './context.ts';

/** Far more than a page of the console opens. */
const STREAMS_MAX = 32;
/** Unsent bytes past which the streams of a socket wait. */
const UNSENT_MAX_BYTES = 1024 * 1024;
/** The socket does not say when it has sent: how often a stream that waits looks. */
const LOOK_MS = 50;

export function socketStreams(socket: Pick<WebSocket, 'readyState' | 'OPEN' | 'bufferedAmount'>): SocketStreams {
  let open = 0;
  return {
    enter() {
      if (open >= STREAMS_MAX)
        throw new ServiceError('rate_limited', `One connection follows ${STREAMS_MAX} streams at most; end one of them first`);
      open += 1;
      return () => void (open -= 1);
    },
    async drained() {
      while (socket.readyState === socket.OPEN && socket.bufferedAmount > UNSENT_MAX_BYTES) await sleep(LOOK_MS);
    },
  };
}
