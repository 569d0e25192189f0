// Limits on what MCP servers send, each with its unit.
import type { BackoffRule } from '@svc/shared/backoff';

/** One message: a line over stdio, an event or a body over HTTP. */
export const MESSAGE_MAX_BYTES = 4 * 1024 * 1024;
/** Levels of a page of the list, and of a result. */
export const DEPTH_MAX = 64;
/** Bytes kept of the end of standard error. */
export const STDERR_TAIL_BYTES = 64 * 1024;
/** Lines of standard error in the log. */
export const STDERR_LINE_MAX_CHARS = 4_096;
export const STDERR_LINES_PER_SECOND_MAX = 100;
export const STDERR_CHARS_PER_SECOND_MAX = STDERR_LINES_PER_SECOND_MAX * STDERR_LINE_MAX_CHARS;
/** Bytes that wait for a program which does not read its input. */
export const STDIN_WAITING_MAX_BYTES = 8 * 1024 * 1024;
/** Messages within one second that answer no request; the connection of a server that sends more is ended. */
export const UNSOLICITED_PER_SECOND_MAX = 2_000;
/** Bytes of such messages within one second. */
export const UNSOLICITED_BYTES_PER_SECOND_MAX = 4 * 1024 * 1024;
/** Requests of a server within one second, pings included: each is answered by a message of ours. */
export const REQUESTS_PER_SECOND_MAX = 100;
/** Start of a process or a session, with the negotiation of the protocol revision. */
export const CONNECT_MAX_MS = 20_000;
/** Silence on the first question of the negotiation over stdio; then the server counts as one of an older revision. */
export const PROBE_MAX_MS = 3_000;
/** One page of the list of tools. */
export const PAGE_MAX_MS = 15_000;
export const LIST_PAGES_MAX = 100;
export const LIST_TOOLS_MAX = 2_000;
/** Descriptions and schemas of all tools together, with the cursors of their pages. */
export const LIST_MAX_CHARS = 16 * 1024 * 1024;
/** A connection that nothing uses is closed after this time. */
export const IDLE_CLOSE_MS = 300_000;
/** Wait before a stream that broke off is resumed: a server asks for any time, none included. */
export const RESUME_MIN_MS = 500;
export const RESUME_MAX_MS = 60_000;
/** Wait before the stream of changes is opened again after streams that ended early. */
export const LISTEN_AGAIN: BackoffRule = { backoffMs: 500, maxBackoffMs: 60_000, jitter: 'none' };
