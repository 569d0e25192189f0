// Ends answers that consist of framing: interim responses, chunk extensions and tiny chunks reach no reader of a body, so no limit on bodies applies.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';

/** Bytes of a connection beyond twice those of the body: heads, chunk sizes, trailers. */
const OVERHEAD_MAX_BYTES = 1024 * 1024;

export const OVERHEAD_CODE = 'SVC_OVERHEAD';

/** The answer has far more bytes around its body than in it. */
class OverheadError extends Error {
  readonly code = OVERHEAD_CODE;
}

/** Receives the socket of the request whose head is written next; undici announces a request and writes its head in one turn. */
let starting: ((socket: Socket) => void) | undefined;

subscribe('undici:client:sendHeaders', (message) => {
  starting?.((message as { socket: Socket }).socket);
  starting = undefined;
});

/** Interceptor of a dispatcher. The error of an ended request has the code `SVC_OVERHEAD`. */
export const overheadLimit: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new CountingHandler(handler));

class CountingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  #bodyBytes = 0;
  #stop = (): void => undefined;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  onRequestStart(...[controller, context]: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    starting = (socket) => this.#watch(socket, controller);
    this.#handler.onRequestStart?.(controller, context);
    // Nothing is written.
    if (controller.aborted) starting = undefined;
  }

  onResponseStart(...answer: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...answer);
  }

  onResponseData(...[controller, chunk]: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>): void {
    this.#bodyBytes += chunk.byteLength;
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#stop();
    this.#handler.onResponseEnd?.(...end);
  }

  onResponseError(...failure: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.#stop();
    this.#handler.onResponseError?.(...failure);
  }

  #watch(socket: Socket, controller: Dispatcher.DispatchController): void {
    const before = socket.bytesRead;
    const check = () => {
      if (socket.bytesRead - before - 2 * this.#bodyBytes <= OVERHEAD_MAX_BYTES) return;
      this.#stop();
      controller.abort(new OverheadError(`more than ${OVERHEAD_MAX_BYTES} bytes of framing`));
    };
    // Behind the listener of undici, which has read by then.
    socket.on('readable', check);
    this.#stop = () => socket.off('readable', check);
  }
}
