// Judges pasted text: a shell runs each line that it receives, and control characters act on the terminal itself. Pure.

/** Control characters except tab and line breaks, among them the escape that could end a bracketed paste. */
// eslint-disable-next-line no-control-regex -- these are the characters that it is about
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

export interface PasteVerdict {
  /** Without control characters. */
  readonly text: string;
  readonly lines: number;
  /** Needs a person's yes before it reaches the shell. */
  readonly needsReview: boolean;
}

export function judgePaste(pasted: string): PasteVerdict {
  const text = pasted.replaceAll(/\r\n?/g, '\n').replaceAll(CONTROL, '');
  const lines = text.split('\n').length;
  return { text, lines, needsReview: lines > 1 };
}
