// Colours by meaning; nothing else in svcctl names a colour.
import pc from 'picocolors';

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

const GOOD = new Set(['Succeeded', 'Ready', 'Approved', 'Completed']);
const BAD = new Set(['Failed', 'DeadLetter', 'Error', 'Denied', 'NotReady']);
const ACTIVE = new Set(['Running', 'Connecting']);
const WAITING = new Set(['WaitingApproval', 'Paused', 'ChangesRequested', 'Expired', 'Cancelled']);

export function createStyle(enabled: boolean): Style {
  const colors = pc.createColors(enabled);
  return {
    bold: colors.bold,
    dim: colors.dim,
    good: colors.green,
    bad: colors.red,
    warn: colors.yellow,
    accent: colors.cyan,
    phase: (text) => {
      if (GOOD.has(text)) return colors.green(text);
      if (BAD.has(text)) return colors.red(text);
      if (ACTIVE.has(text)) return colors.cyan(text);
      return WAITING.has(text) ? colors.yellow(text) : text;
    },
  };
}
