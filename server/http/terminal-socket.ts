// The WebSocket that shows a terminal: output as binary frames, everything else as JSON. Translates; the terminal service decides.
import { INPUT_MAX_CHARS, TERMINAL_SOCKET_PATH, type TerminalNotice } from '@svc/shared/api/terminals';
import { ServiceError } from '@svc/shared/errors';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { z } from 'zod';
import { signInId } from '../auth/sign-in-documents.ts';
import type { Viewer } from '../terminal/session.ts';
import type { TerminalService } from '../terminal/terminals.ts';
import type { CallerGate } from './gate/caller.ts';
import type { Logger } from '../log/log.ts';
import type { OpenedSocket, SocketPlace, SocketRoute } from './upgrades.ts';

export const TERMINAL_SOCKET: SocketPlace = { path: TERMINAL_SOCKET_PATH, access: 'admin' };

/** Largest message of a page: a full input of characters of four bytes, as JSON. */
const MESSAGE_MAX_BYTES = 8 * INPUT_MAX_CHARS;
/** Time for the ticket to arrive on an open socket. */
const TICKET_WAIT_MS = 10_000;
const CLOSE_NORMAL = 1000;
const CLOSE_REFUSED = 4403;
const SIDE_MAX = 1000;

const side = z.int().min(1).max(SIDE_MAX);
const opening = z.strictObject({ type: z.literal('open'), ticket: z.string().max(100), cols: side, rows: side });
const request = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input'), text: z.string().max(INPUT_MAX_CHARS) }),
  z.strictObject({ type: z.literal('resize'), cols: side, rows: side }),
  z.strictObject({ type: z.literal('shown'), bytes: z.int().min(0) }),
]);

export interface TerminalSocketOptions {
  readonly terminals: TerminalService;
  readonly signInKeyOf: CallerGate['signInKeyOf'];
  readonly log: Logger;
}

function parsed<T>(schema: z.ZodType<T>, data: RawData, isBinary: boolean): T {
  const read = isBinary ? undefined : schema.safeParse(jsonOf(data));
  if (read?.success) return read.data;
  throw new ServiceError('invalid', 'A terminal does not accept this message');
}

function jsonOf(data: RawData): unknown {
  try {
    // With one binary type, messages are Buffers.
    return JSON.parse((data as Buffer).toString('utf8'));
  } catch {
    return undefined;
  }
}

const send = (socket: WebSocket, notice: TerminalNotice): void => socket.send(JSON.stringify(notice));

function end(socket: WebSocket, notice: TerminalNotice, code = CLOSE_NORMAL): void {
  send(socket, notice);
  socket.close(code, notice.type);
}

function viewerOf(socket: WebSocket): Viewer {
  return {
    output: (bytes) => socket.send(bytes),
    exited: (code) => end(socket, { type: 'exit', code }),
    replaced: () => end(socket, { type: 'replaced' }),
    closed: (reason) => end(socket, { type: 'closed', reason }),
  };
}

/** Serves one socket from its ticket to its end. */
function serve({ terminals, signInKeyOf, log }: TerminalSocketOptions, opened: OpenedSocket): void {
  const { socket, caller: context, request: upgrade, follow } = opened;
  const key = signInKeyOf(upgrade);
  const refuse = (error: unknown) => {
    if (!(error instanceof ServiceError)) log.error({ err: error }, 'a terminal failed');
    const { code, message } = error instanceof ServiceError ? error : new ServiceError('internal', 'The terminal failed');
    end(socket, { type: 'refused', code, message }, CLOSE_REFUSED);
  };
  const guarded = (action: () => void) => {
    try {
      action();
    } catch (error) {
      refuse(error);
    }
  };
  const late = setTimeout(() => refuse(new ServiceError('timeout', 'No ticket arrived in time')), TICKET_WAIT_MS);
  socket.once('close', () => clearTimeout(late));
  socket.on('error', () => socket.terminate());

  const attach = (data: RawData, isBinary: boolean) => {
    clearTimeout(late);
    const { ticket, cols, rows } = parsed(opening, data, isBinary);
    const caller = { context, signInId: key === undefined ? undefined : signInId(key) };
    const terminal = terminals.attach({ caller, ticket, size: { cols, rows }, viewer: viewerOf(socket), follow });
    const { bytes, truncated } = terminal.replay;
    send(socket, { type: 'ready', id: terminal.id, replay_bytes: bytes.length, truncated });
    if (bytes.length > 0) socket.send(bytes);
    socket.once('close', () => terminal.leave());
    socket.on('message', (message: RawData, binary: boolean) =>
      guarded(() => {
        const asked = parsed(request, message, binary);
        if (asked.type === 'input') terminal.input(asked.text);
        else if (asked.type === 'shown') terminal.shown(asked.bytes);
        else terminal.resize({ cols: asked.cols, rows: asked.rows });
      }),
    );
  };
  socket.once('message', (data: RawData, isBinary: boolean) => guarded(() => attach(data, isBinary)));
}

export function terminalSocketRoute(options: TerminalSocketOptions): SocketRoute {
  return {
    ...TERMINAL_SOCKET,
    sockets: new WebSocketServer({ noServer: true, maxPayload: MESSAGE_MAX_BYTES, perMessageDeflate: false }),
    accept: (opened) => serve(options, opened),
  };
}
