// Log lines that wait until a program has written its first line, so that a reader of the output finds that line first.
import type { LogSink } from '../log/log.ts';

export interface HeldOutput extends LogSink {
  /** Writes what has waited; from now on nothing waits. Idempotent. */
  release(): void;
}

export function holdOutput(out: LogSink): HeldOutput {
  let waiting: string[] | undefined = [];
  return {
    write(line) {
      if (waiting) waiting.push(line);
      else out.write(line);
    },
    release() {
      const lines = waiting ?? [];
      waiting = undefined;
      for (const line of lines) out.write(line);
    },
  };
}
