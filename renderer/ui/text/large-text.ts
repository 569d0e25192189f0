// Visible part of a text that may be many megabytes: its beginning, cut at a line end if one is near. Pure.
import { native } from '../../native/native.ts';
import { beginningOf } from './whole-characters.ts';

/** Length that a page renders without a stall. */
const SHOWN_MAX_CHARS = 256 * 1024;
const LINE_SEARCH = 2048;

export interface Excerpt {
  readonly text: string;
  /** Number of characters left out. */
  readonly omitted: number;
}

export function excerptOf(text: string, max = SHOWN_MAX_CHARS): Excerpt {
  if (text.length <= max) return { text, omitted: 0 };
  const newline = text.lastIndexOf('\n', max);
  const shown = newline > Math.max(0, max - LINE_SEARCH) ? text.slice(0, newline) : beginningOf(text, max);
  return { text: shown, omitted: text.length - shown.length };
}

/** Hands a text to the person as a file. */
export function download(name: string, content: string, type = 'text/plain'): void {
  native.saveText(name, content, type);
}
