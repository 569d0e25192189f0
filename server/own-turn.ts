// Turns of the event loop for work on large texts, so that requests get in between however many such texts come at once.

/** Shorter texts are converted, parsed or written within milliseconds. */
const LARGE_CHARS = 1024 * 1024;

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller with a large text has; at once for a short text. To be called ahead of the work. */
export async function ownTurn(chars: number): Promise<void> {
  if (chars < LARGE_CHARS) return;
  const turn = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  last = turn;
  await turn;
}
