// Clients that ask and never read an answer, over raw sockets: what a hostile or a stuck reader is to a server.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface MuteClients {
  /** Connections that the server has not ended yet. */
  readonly open: () => number;
  close(): void;
}

const MASK_BYTES = 4;

/** A text message of a client, masked as RFC 6455 requires. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.alloc(payload.length < 126 ? 2 : 4);
  header[0] = 0x81;
  header[1] = 0x80 | (payload.length < 126 ? payload.length : 126);
  if (header.length === 4) header.writeUInt16BE(payload.length, 2);
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([header, Buffer.alloc(MASK_BYTES), payload]);
}

async function open(url: string, bytes: Buffer): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(bytes);
  return socket;
}

async function openAll(url: string, requests: readonly Buffer[]): Promise<MuteClients> {
  const sockets = await Promise.all(requests.map((bytes) => open(url, bytes)));
  // The end of a connection shows to one that does not read only when it writes.
  const ended = new Set<Socket>();
  for (const socket of sockets) socket.once('close', () => ended.add(socket));
  return {
    open: () => sockets.length - ended.size,
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

/** Each client sends `perClient` requests of the path at once. */
export function muteRequests(
  url: string,
  path: string,
  { clients, perClient = 1 }: { clients: number; perClient?: number },
): Promise<MuteClients> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`.repeat(perClient));
  return openAll(
    url,
    Array.from({ length: clients }, () => request),
  );
}

/** Each client opens a WebSocket of the console and sends these messages, each in a frame of its own. */
export function muteSockets(url: string, messages: readonly unknown[], clients: number): Promise<MuteClients> {
  const { host, origin } = new URL(url);
  const upgrade = () =>
    [
      'GET /trpc HTTP/1.1',
      `Host: ${host}`,
      `Origin: ${origin}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n');
  const frames = messages.map((message) => textFrame(JSON.stringify(message)));
  return openAll(
    url,
    Array.from({ length: clients }, () => Buffer.concat([Buffer.from(upgrade()), ...frames])),
  );
}

/** Resets the measured peak. */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

const statusMb = (pid: number, field: RegExp): number => Number(field.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** The most memory a process has had, in MB. */
export const peakMemoryMb = (pid: number): number => statusMb(pid, /VmHWM:\s+(\d+) kB/);

/** Memory of a process, in MB. */
export const memoryMb = (pid: number): number => statusMb(pid, /VmRSS:\s+(\d+) kB/);
