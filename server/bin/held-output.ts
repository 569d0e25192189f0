// Log lines that wait until the first line of a program has been written, so that whoever reads that line finds it first.
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
