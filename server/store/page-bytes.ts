// How much stored JSON is read at a time on behalf of a client, whatever the number of objects it is in.

/** One page of an answer; a page has one item at least. */
export const PAGE_MAX_BYTES = 4 * 1024 * 1024;
/** One read of a stream, which continues when the client has taken it. */
export const PORTION_MAX_BYTES = 256 * 1024;
