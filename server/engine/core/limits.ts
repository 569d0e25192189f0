// The engine's limits and fixed waits, each named with its unit.

/** Messages one attempt may produce; above it the attempt ends with `message_limit_reached`. */
export const MESSAGES_MAX = 10_000;
/** Sources named in the record of a join that waits. */
export const JOIN_NAMES_MAX = 10;
/** Characters of the messages of one agent's turn, prompt and results of tools included: several times what the largest models take. */
export const TRANSCRIPT_MAX_CHARS = 32 * 1024 * 1024;
/** Earlier chat messages that a run continues. */
export const CONVERSATION_MESSAGES_MAX = 2_000;
/** Their texts together. */
export const CONVERSATION_MAX_BYTES = 1024 * 1024;
/** Canonical bytes of the state of a run (`encodeState`). */
export const STATE_MAX_BYTES = 4 * 1024 * 1024;
/** Tool calls one model answer may ask for; the rest are answered with an error. */
export const CALLS_PER_STEP_MAX = 64;
/** Levels of nesting the arguments of a tool call may have. */
export const ARGUMENTS_DEPTH_MAX = 64;
/** Characters of those arguments: as much as a reviewer may put in their place, and more than a model writes in one answer. */
export const ARGUMENTS_MAX_CHARS = 1024 * 1024;
/** Characters of arguments of memory tools: a document for `memory.ingest` with its escapes, and as much as a model's answer may have. */
export const MEMORY_ARGUMENTS_MAX_CHARS = 16 * 1024 * 1024;
/** Waits up to this long are spent holding the claim; longer ones release it. */
export const HELD_WAIT_MAX_MS = 500;
/** How soon a Task whose McpServer has still to import a tool is examined again. */
export const IMPORT_WAIT_MS = 2_000;
/** Time for a person to report the outcome of a call of unknown outcome. */
export const UNKNOWN_OUTCOME_TTL_MS = 24 * 60 * 60 * 1000;
/** Text fields of records are cut past this many bytes of UTF-8. */
export const RECORD_TEXT_MAX_BYTES = 64 * 1024;
/** Elements of one array in a single GET of a Task; above it the array is cut and `truncated` says where the rest is. */
export const RECORD_ITEMS_MAX = 2_000;
/** Journal entries read at a time. */
export const JOURNAL_PAGE_ENTRIES = 1_000;
/** Runs whose folded journals are kept for the next reader. */
export const FOLDS_KEPT_MAX = 64;
/** Memory limit of all kept folds together, in bytes. */
export const FOLDS_KEPT_MAX_BYTES = 128 * 1024 * 1024;
/** Pieces of live text after the first are batched for this time. */
export const LIVE_GATHER_MS = 50;
/** Live text of one model call; longer text is read from the record. Also the bound of a reader's buffer. */
export const LIVE_TEXT_MAX_CHARS = 256 * 1024;
/** A worker sends the live text of a run this long after its readers last called for it. */
export const LIVE_INTEREST_MS = 30_000;
/** Interval between two sends of the whole text of a call so far. */
export const LIVE_WHOLE_PAUSE_MS = 250;
/** Text that the trace of one GET may hold, and its messages besides. */
export const RECORD_BYTES_MAX = 8 * 1024 * 1024;
/** Default and largest page of logs, messages and trace. */
export const PAGE_ITEMS_MAX = 1_000;

/** Number of validation problems in a failure; further ones are counted. */
export const PROBLEMS_SHOWN_MAX = 200;
/** Recorded outputs and messages that replace turns within one trial, as JSON. */
export const RECORDED_MAX_BYTES = 1024 * 1024;
/** Journal entries of an earlier run whose results a trial reuses. */
export const RECORDED_ENTRIES_MAX = 50_000;
/** Text that a person puts in place of a message or an output at a breakpoint. */
export const EDITED_MAX_BYTES = 256 * 1024;
