// Clean-up of shared test modules at the end of each test file. Files of one worker share their modules, so a hook at the top level of such a
// module runs for the first file only.

const cleanups: (() => Promise<void>)[] = [];

/** Runs once, at the end of the test file that is running. */
export function atFileEnd(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

/** For the set-up file. */
export async function endFile(): Promise<void> {
  for (const cleanup of cleanups.splice(0)) await cleanup();
}
