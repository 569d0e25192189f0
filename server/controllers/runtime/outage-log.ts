// Says that something fails, and that it works again, once each: an outage is two lines of the log, however often a loop tries.
import type { Logger } from '../../log/log.ts';

export interface OutageLog {
  readonly failed: (error: unknown) => void;
  /** To be called after each success. */
  readonly worked: () => void;
}

/** `what` reads as a sentence with "fails" after it: `taking due items`. */
export function createOutageLog(log: Logger, what: string, fields: Readonly<Record<string, unknown>> = {}): OutageLog {
  let failing = false;
  return {
    failed(error) {
      if (!failing) log.warn({ ...fields, err: error }, `${what} fails; trying again`);
      failing = true;
    },
    worked() {
      if (failing) log.info(fields, `${what} works again`);
      failing = false;
    },
  };
}
