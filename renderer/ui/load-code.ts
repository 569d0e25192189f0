// Loads code over a network that may lose a request, from a server that may be away or of another version by now.

/** Waits before another try, in milliseconds. A lost request is over with the first, a server that is away is told of by the page. */
const AGAIN_AFTER_MS = [300, 1_000];

/** Stands in for the browser's own error: the router answers that one by loading the whole console anew, which ends it while the server is away. */
export class CodeNotLoaded extends Error {
  override readonly name = 'CodeNotLoaded';
}

/** Rejects with CodeNotLoaded once the tries are used up. */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const ms of AGAIN_AFTER_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  try {
    return await load();
  } catch (cause) {
    throw new CodeNotLoaded('The code of this page did not come from the server.', { cause });
  }
}
