// Terminals of the console: records, and the messages of the WebSocket that shows one. Output is binary frames, all else is JSON text.

export const TERMINAL_SOCKET_PATH = '/ws/terminal';

export interface TerminalRecord {
  readonly id: string;
  /** Namespace that svcctl in it starts with. */
  readonly namespace: string;
  readonly created_at: string;
  /** A page shows it now. */
  readonly attached: boolean;
}

/** Admits one socket, once. */
export interface TerminalTicket {
  readonly ticket: string;
  readonly expires_in_ms: number;
}

/** Largest text of one input message; longer pastes are sent in parts. */
export const INPUT_MAX_CHARS = 16 * 1024;

/** Messages of the page. `open` comes first, within 10 seconds; `shown` counts bytes of output that are on screen. */
export type TerminalRequest =
  | { readonly type: 'open'; readonly ticket: string; readonly cols: number; readonly rows: number }
  | { readonly type: 'input'; readonly text: string }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'shown'; readonly bytes: number };

/** Messages of the server. The first `replay_bytes` of output after `ready` are earlier output. */
export type TerminalNotice =
  | { readonly type: 'ready'; readonly id: string; readonly replay_bytes: number; readonly truncated: boolean }
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'replaced' }
  | { readonly type: 'closed'; readonly reason: string }
  | { readonly type: 'refused'; readonly code: string; readonly message: string };
