// The server's side of a WebSocket, as little as tests need: the handshake, whole binary messages, pings unanswered, no extensions. Source: RFC 6455.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const OPCODE_BINARY = 2;
const OPCODE_CLOSE = 8;

export interface ServerSocket {
  send(message: Uint8Array): void;
  close(): void;
  /** Cuts the connection. */
  destroy(): void;
}

export interface SocketHandlers {
  readonly onMessage: (message: Buffer) => void;
  /** The other side is done, or gone. */
  readonly onClose: () => void;
}

export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  chosen: SocketHandlers & { readonly protocol: string },
): ServerSocket {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
  socket.write([...lines, `Sec-WebSocket-Protocol: ${chosen.protocol}`, '', ''].join('\r\n'));
  let pending = Buffer.alloc(0);
  let message: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let frame = readFrame(pending); frame; frame = readFrame(pending)) {
      pending = pending.subarray(frame.bytes);
      if (frame.opcode === OPCODE_CLOSE) {
        chosen.onClose();
        if (socket.writable) socket.end(frameOf(OPCODE_CLOSE, Buffer.of(3, 232)));
        return;
      }
      if (frame.opcode > OPCODE_BINARY) continue;
      message.push(frame.payload);
      if (!frame.final) continue;
      chosen.onMessage(Buffer.concat(message));
      message = [];
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => chosen.onClose());
  return {
    send: (bytes) => void (socket.writable && socket.write(frameOf(OPCODE_BINARY, bytes))),
    close: () => void (socket.writable && socket.end(frameOf(OPCODE_CLOSE, Buffer.of(3, 232)))),
    destroy: () => socket.destroy(),
  };
}

function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const header = length < 126 ? Buffer.of(128 | opcode, length) : length < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  header[0] = 128 | opcode;
  if (header.length === 4) {
    header[1] = 126;
    header.writeUInt16BE(length, 2);
  } else if (header.length === 10) {
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([header, payload]);
}

interface Frame {
  readonly opcode: number;
  readonly final: boolean;
  readonly payload: Buffer;
  readonly bytes: number;
}

/** Undefined while it is not all there. A client's frames are masked. */
function readFrame(buffer: Buffer): Frame | undefined {
  if (buffer.length < 2) return undefined;
  const [first = 0, second = 0] = buffer;
  const short = second & 127;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + lengthBytes + 4;
  if (buffer.length < start) return undefined;
  const length = lengthBytes === 2 ? buffer.readUInt16BE(2) : lengthBytes === 8 ? Number(buffer.readBigUInt64BE(2)) : short;
  if (buffer.length < start + length) return undefined;
  const mask = buffer.subarray(start - 4, start);
  const payload = Buffer.from(buffer.subarray(start, start + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { opcode: first & 15, final: (first & 128) !== 0, payload, bytes: start + length };
}
