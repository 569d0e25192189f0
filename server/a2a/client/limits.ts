// Limits on what remote agents send, each with its unit.

/** One agent card. */
export const CARD_MAX_BYTES = 1024 * 1024;
/** All cards that a process keeps. */
export const CARDS_MAX_CHARS = 32 * 1024 * 1024;
export const CARDS_MAX = 1_000;
/** Age at which a card is revalidated by its ETag. */
export const CARD_FRESH_MS = 300_000;
/** Age at which the registry repeats a failed read of a card. */
export const CARD_FAILED_MS = 30_000;
/** Discovery of a card, all its requests together. */
export const DISCOVERY_MAX_MS = 10_000;
/** One answer of JSON-RPC. */
export const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** All events of one stream together, and one of them. */
export const STREAM_MAX_BYTES = 16 * 1024 * 1024;
export const EVENT_MAX_CHARS = 4 * 1024 * 1024;
export const PARTS_MAX = 1_000;
export const ARTIFACTS_MAX = 200;
/** Wait between the first two reads of a task that works. */
export const POLL_FIRST_MS = 50;
const POLL_MAX_MS = 2_000;
const POLL_FACTOR = 1.6;
/** Wait before the next read, after a wait of `waitMs`. */
export const nextPollMs = (waitMs: number): number => Math.min(waitMs * POLL_FACTOR, POLL_MAX_MS);
/** Reads of a task in a row that may fail. */
export const POLL_FAILURES_MAX = 5;
/** How long a request whose caller has gone may still name the task that is to be canceled. */
export const LINGER_MS = 5_000;
export const CANCEL_MAX_MS = 5_000;
/** Characters of a text of the remote side in the report of a probe. */
export const QUOTE_MAX_CHARS = 1_000;
