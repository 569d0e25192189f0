// Requests that a client sends without waiting for answers: one at a time per connection, since their answers go out in that order anyway.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that wait behind another one. */
const WAITING_MAX = 100;

interface Pipeline {
  last: ServerResponse;
  waiting: number;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Hands each request on when the answer before it has left. A client that sends too many ahead is cut off: each holds memory. */
export function inTurn(handle: Handle): Handle {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket);
    if (!pipeline) {
      pipelines.set(socket, { last: response, waiting: 0 });
      return handle(request, response);
    }
    const { last } = pipeline;
    pipeline.last = response;
    if (last.writableFinished || last.destroyed) return handle(request, response);
    pipeline.waiting += 1;
    if (pipeline.waiting > WAITING_MAX) return void socket.destroy();
    last.once('close', () => {
      pipeline.waiting -= 1;
      if (!socket.destroyed) handle(request, response);
    });
  };
}
