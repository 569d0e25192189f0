// Limits of requests that hold several calls or objects, the same for the console and the server.
/** Calls of one request. */
export const BATCH_CALLS_MAX = 32;

/** Documents of one apply. */
export const APPLY_DOCUMENTS_MAX = 1000;
