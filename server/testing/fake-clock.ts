// Clocks of a process by libfaketime (package faketime): one that starts at a chosen moment and runs fast, so that Date, timers and the kernel's
// clocks agree; one that jumps, as over a sleep of the machine.
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
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

export interface JumpingClock {
  /** Environment of the process. */
  readonly env: Record<string, string>;
  /** Moves the wall clock forward. Timers do not move: the kernel's monotonic clock stands still while a machine sleeps. */
  jump(ms: number): void;
}

/** A clock that starts at `from`, in UTC; `file` is a file of its own. */
export function jumpingClock(from: string, file: string): JumpingClock {
  const library = faketimeLibrary();
  if (library === undefined) throw new Error('libfaketime is missing: apt-get install faketime');
  let offsetMs = Date.parse(from) - Date.now();
  // Replaced whole: a process that reads a file that is being written would see the real time.
  const write = () => {
    writeFileSync(`${file}.new`, `${offsetMs < 0 ? '' : '+'}${(offsetMs / 1000).toFixed(3)}`);
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    env: { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1', TZ: 'UTC' },
    jump(ms) {
      offsetMs += ms;
      write();
    },
  };
}
