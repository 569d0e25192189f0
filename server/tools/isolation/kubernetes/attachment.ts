// A container's streams over the WebSocket of its attach: input in, both outputs out, each on a channel of its own. Source: Kubernetes, remotecommand subprotocols v4 and v5.
import { isObject } from '@svc/shared/json';
import { WebSocket } from 'undici';
import type { Clock } from '../../../clock.ts';
import type { Connection } from './cluster.ts';
import { TOOL_CONTAINER } from './objects.ts';

/** The last one can end the input while the outputs stay open; servers before Kubernetes 1.30 have the first one only. */
const WITH_CLOSE = 'v5.channel.k8s.io';
const PROTOCOLS = [WITH_CLOSE, 'v4.channel.k8s.io'];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const CLOSE = 255;
const CHUNK_MAX_BYTES = 32 * 1024;
/** A socket has no word for having sent everything. */
const SENT_LOOK_MS = 20;

export interface AttachOptions {
  /** Path of the pod's attach, without a query. */
  readonly path: string;
  readonly stdin: string | undefined;
  readonly clock: Clock;
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
}

export interface Attachment {
  /** Resolves when the streams are over. `lost`: they did not reach the container, or the input cannot have arrived whole. */
  readonly over: Promise<'ended' | 'lost'>;
  close(): void;
}

/** Rejects when the server does not take it: the container does not run yet or has ended, or nobody may attach. */
export function attach(connection: Connection, options: AttachOptions): Promise<Attachment> {
  const input = options.stdin !== undefined;
  const query = new URLSearchParams({ container: TOOL_CONTAINER, stdin: String(input), stdout: 'true', stderr: 'true', tty: 'false' });
  const url = `${connection.base.replace(/^http/, 'ws')}${options.path}?${query.toString()}`;
  const { headers, dispatcher } = connection;
  const socket = new WebSocket(url, { protocols: PROTOCOLS, headers, dispatcher });
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    let failed = false;
    let sent = options.stdin === undefined;
    socket.addEventListener('message', ({ data }) => {
      if (data instanceof ArrayBuffer) failed = receive(new Uint8Array(data), options) || failed;
    });
    const over = new Promise<'ended' | 'lost'>((end) => {
      socket.addEventListener('close', ({ wasClean }) => {
        // Once open this changes nothing.
        reject(new Error('the attach was rejected'));
        end(failed || !(sent || wasClean) ? 'lost' : 'ended');
      });
    });
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('open', () => {
      if (options.stdin !== undefined) sendInput(socket, options.stdin);
      void isSent(socket, options.clock).then((all) => (sent ||= all));
      resolve({ over, close: () => socket.close() });
    });
  });
}

/** Whether the message says that the streams failed. */
function receive(bytes: Uint8Array, { onStdout, onStderr }: AttachOptions): boolean {
  if (bytes.byteLength < 2) return false;
  if (bytes[0] === STDOUT) onStdout(bytes.subarray(1));
  if (bytes[0] === STDERR) onStderr(bytes.subarray(1));
  return bytes[0] === STATUS && !isSuccess(bytes.subarray(1));
}

function isSuccess(status: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(status));
    return isObject(value) && value['status'] === 'Success';
  } catch {
    return false;
  }
}

/** False when the connection is over before. */
async function isSent(socket: WebSocket, clock: Clock): Promise<boolean> {
  while (socket.readyState === WebSocket.OPEN) {
    if (socket.bufferedAmount === 0) return true;
    await clock.sleep(SENT_LOOK_MS);
  }
  return false;
}

function sendInput(socket: WebSocket, input: string): void {
  const bytes = Buffer.from(input);
  for (let at = 0; at < bytes.length; at += CHUNK_MAX_BYTES) {
    socket.send(Buffer.concat([Buffer.of(STDIN), bytes.subarray(at, at + CHUNK_MAX_BYTES)]));
  }
  if (socket.protocol === WITH_CLOSE) socket.send(Buffer.of(CLOSE, STDIN));
  // Nothing but its end ends the input then (the container has stdinOnce); the outputs are read from the log.
  else socket.close();
}
