// Loads code over a network that may lose a request, from a server that may be away or of another version.

/** Waits before each retry, in milliseconds. The first covers a lost request; the page reports a server that stays away. */
const AGAIN_AFTER_MS = [300, 1_000];

/**
 * Replaces the browser's own error, to which the router responds by reloading the whole console; while the server is away, that reload
 * would end it.
 */
export class CodeNotLoaded extends Error {
  override readonly name = 'CodeNotLoaded';
}

/** Rejects with CodeNotLoaded once all attempts have failed. */
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
    throw new CodeNotLoaded('The code of this page failed to load.', { cause });
  }
}
