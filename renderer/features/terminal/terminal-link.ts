// One terminal's WebSocket: a ticket, the messages, and the end with its reason.
import { INPUT_MAX_CHARS, TERMINAL_SOCKET_PATH, type TerminalNotice, type TerminalRequest } from '@svc/shared/api/terminals';
import { client } from '../../live/api.ts';
import { shownError } from '../../ui/feedback/shown-error.ts';
import { withBase } from '../../ui/link/base-path.ts';

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** `lost`: the terminal may still be there. `elsewhere`: another page shows it. `ended`: it is gone. */
export interface LinkEnd {
  readonly state: 'lost' | 'elsewhere' | 'ended';
  readonly message: string;
}

export interface LinkOptions {
  readonly namespace: string;
  /** Absent: opens a new terminal. */
  readonly id: string | undefined;
  readonly size: () => Size;
  readonly onReady: (ready: Extract<TerminalNotice, { type: 'ready' }>) => void;
  /** `done` reports that the bytes are on screen. */
  readonly onOutput: (bytes: Uint8Array, done: () => void) => void;
  /** Called once, unless the link was left before. */
  readonly onEnd: (end: LinkEnd) => void;
}

export interface TerminalLink {
  readonly type: (text: string) => void;
  readonly resize: (size: Size) => void;
  readonly leave: () => void;
}

const LOST: LinkEnd = { state: 'lost', message: 'The connection to the terminal was lost.' };

function endOf(notice: Exclude<TerminalNotice, { type: 'ready' }>): LinkEnd {
  switch (notice.type) {
    case 'exit':
      return { state: 'ended', message: `The shell ended with exit code ${notice.code}.` };
    case 'replaced':
      return { state: 'elsewhere', message: 'Another page shows this terminal now.' };
    case 'closed':
      return { state: 'ended', message: `${notice.reason}.` };
    case 'refused':
      return { state: 'ended', message: `${notice.message}.` };
  }
}

function socketUrl(): string {
  const { protocol, host } = window.location;
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}${withBase(TERMINAL_SOCKET_PATH)}`;
}

/** Shown bytes that are reported at once while more output waits: each report costs about as much as 10 KiB of output. */
const REPORT_BYTES = 256 * 1024;

/** Counts output on its way to the screen, and reports what was shown in few messages. */
export function createReports(report: (bytes: number) => void) {
  let waiting = 0;
  let shown = 0;
  return {
    received: (bytes: number) => void (waiting += bytes),
    shown(bytes: number): void {
      waiting -= bytes;
      shown += bytes;
      if (waiting > 0 && shown < REPORT_BYTES) return;
      report(shown);
      shown = 0;
    },
  };
}

/** Parts of a text that fit into messages; no character is cut. */
export function parts(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + INPUT_MAX_CHARS, text.length);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    found.push(text.slice(at, end));
    at = end;
  }
  return found;
}

export function openLink(options: LinkOptions): TerminalLink {
  let socket: WebSocket | undefined;
  let over = false;
  const send = (request: TerminalRequest) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request));
  };
  const reports = createReports((bytes) => send({ type: 'shown', bytes }));
  const finish = (end: LinkEnd) => {
    if (over) return;
    over = true;
    socket?.close();
    options.onEnd(end);
  };
  const connect = (ticket: string) => {
    if (over) return;
    socket = new WebSocket(socketUrl());
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => send({ type: 'open', ticket, ...options.size() });
    socket.onclose = () => finish(LOST);
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (over) return;
      if (typeof data !== 'string') {
        reports.received(data.byteLength);
        return options.onOutput(new Uint8Array(data), () => reports.shown(data.byteLength));
      }
      const notice = JSON.parse(data) as TerminalNotice;
      if (notice.type === 'ready') options.onReady(notice);
      else finish(endOf(notice));
    };
  };
  client.terminals.ticket.mutate({ namespace: options.namespace, ...(options.id !== undefined && { id: options.id }) }).then(
    ({ ticket }) => connect(ticket),
    (error: unknown) => {
      const { message, code } = shownError(error);
      finish({ state: code === 'unreachable' ? 'lost' : 'ended', message });
    },
  );
  return {
    type: (text) => parts(text).forEach((part) => send({ type: 'input', text: part })),
    resize: (size) => send({ type: 'resize', ...size }),
    leave: () => {
      over = true;
      socket?.close();
    },
  };
}
