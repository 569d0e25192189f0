// Colours by meaning; nothing else in svcctl names a colour.
import { randomInt } from 'node:crypto';

export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly accent: (text: string) => string;
  /** A lifecycle phase in the colour of what it means. */
  readonly phase: (text: string) => string;
}

/** Number in every style sequence of this process. Stored text cannot forge one, as the number is never printed. */
const OWN = randomInt(2 ** 47);
/** Style sequences that `createStyle` made; the group is the code that the terminal gets. */
export const OWN_STYLE = new RegExp(`\\u001b\\[${OWN};(\\d+)m`, 'g');

const GOOD = new Set(['Succeeded', 'Ready', 'Approved', 'Completed']);
const BAD = new Set(['Failed', 'DeadLetter', 'Error', 'Denied', 'NotReady']);
const ACTIVE = new Set(['Running', 'Connecting']);
const WAITING = new Set(['WaitingApproval', 'Paused', 'ChangesRequested', 'Expired', 'Cancelled']);

/** Styles whose sequences only a Screen turns into those of terminals. */
export function createStyle(enabled: boolean): Style {
  const painted = (open: number, close: number) => (text: string) =>
    enabled ? `\u001b[${OWN};${open}m${text}\u001b[${OWN};${close}m` : text;
  const [good, bad, warn, accent] = [painted(32, 39), painted(31, 39), painted(33, 39), painted(36, 39)];
  return {
    bold: painted(1, 22),
    dim: painted(2, 22),
    good,
    bad,
    warn,
    accent,
    phase: (text) => {
      if (GOOD.has(text)) return good(text);
      if (BAD.has(text)) return bad(text);
      if (ACTIVE.has(text)) return accent(text);
      return WAITING.has(text) ? warn(text) : text;
    },
  };
}
