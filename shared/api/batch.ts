// How many calls the console sends in one request, which is also how many the server takes.
export const BATCH_CALLS_MAX = 32;
