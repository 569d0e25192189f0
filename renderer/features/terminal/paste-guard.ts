// Judges pasted text: a shell runs each line that it receives, and control characters act on the terminal itself. Pure.

/** Control characters except tab and line feed, among them the escape that could end a bracketed paste. */
const CONTROL = /[^\P{Cc}\t\n]/gu;

export interface PasteVerdict {
  /** Without control characters. */
  readonly text: string;
  /** Needs a person's yes before it reaches the shell. */
  readonly needsReview: boolean;
}

export function judgePaste(pasted: string): PasteVerdict {
  const text = pasted.replaceAll(/\r\n?/g, '\n').replaceAll(CONTROL, '');
  return { text, needsReview: text.includes('\n') };
}

/** Lines of a text, where the break after the last line begins no other. */
export const linesOf = (text: string): number => text.replace(/\n$/, '').split('\n').length;
