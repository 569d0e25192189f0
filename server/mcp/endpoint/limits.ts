// Limits of the MCP server, each with its unit.

/** Time that a call waits for the end of its run; clients give up after 60 s by default. */
export const CALL_WAIT_MS = 50_000;
export const BODY_MAX_BYTES = 1024 * 1024;
/** Tools of one page of the list. */
export const PAGE_TOOLS = 100;
/** AgentSystems read for one page of the list at most; a page may have fewer tools then. */
export const PAGE_SYSTEMS_MAX = 10_000;
export const SYSTEMS_PER_READ = 500;
/** Systems that one tool name may mean. */
export const MEANINGS_MAX = 8;
/** Least time between two progress notifications of one call that say the same. */
export const PROGRESS_EVERY_MS = 1_000;
/** Characters of a client's token for progress. */
export const PROGRESS_TOKEN_MAX = 256;
export const READ_MAX_BYTES = 4 * 1024 * 1024;
