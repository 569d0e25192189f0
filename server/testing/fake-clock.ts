// Clock of a process that starts at a chosen moment and runs fast, by libfaketime: Date, timers and the kernel's clocks agree. Needs the faketime
// package.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

function faketimeLibrary(): string | undefined {
  const folders = existsSync(LIBRARIES) ? ['', ...readdirSync(LIBRARIES)] : [];
  return folders.map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketimeMT.so.1')).find((path) => existsSync(path));
}

/** For `describe.skipIf`: says aloud what is skipped and why; with CI set nothing is skipped, so a missing library fails. */
export function withoutFaketime(suite: string): boolean {
  if (faketimeLibrary() !== undefined || process.env['CI']) return false;
  process.stderr.write(`SKIPPED ${suite}: no libfaketime on this machine (apt-get install faketime)\n`);
  return true;
}

/** Environment of a process whose clock starts at `from`, in UTC, and runs `speed` times as fast as the real one. */
export function fakeClock(from: string, speed: number): Record<string, string> {
  const library = faketimeLibrary();
  if (library === undefined) throw new Error('libfaketime is missing: apt-get install faketime');
  return { LD_PRELOAD: library, FAKETIME: `@${from.replace('T', ' ').replace('Z', '')} x${speed}`, TZ: 'UTC' };
}
