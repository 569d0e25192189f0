// The edge to the terminal: every text that svcctl prints passes here, and nothing in it but our own styles and line breaks acts on the terminal.
import type { Writable } from 'node:stream';
import { escapeHidden } from './hidden-text.ts';
import { OWN_STYLE } from './style.ts';

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** A text as it may go to a terminal, a file or a pipe: hidden characters are written out, our styles become colours. */
export function safeText(text: string): string {
  return text
    .split(OWN_STYLE)
    .map((part, i) => (i % 2 === 0 ? escapeHidden(part) : `\u001b[${part}m`))
    .join('');
}

export class Screen {
  /** For programs that draw on the terminal themselves, such as a prompt. */
  readonly stream: OutputStream;

  constructor(stream: OutputStream) {
    this.stream = stream;
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  /** Columns of the terminal; undefined for a file or a pipe, where nothing is cut, and for a terminal that reports none. */
  get columns(): number | undefined {
    return this.stream.columns || undefined;
  }

  /** Lines of the terminal; undefined where they are not known. */
  get rows(): number | undefined {
    return this.stream.rows || undefined;
  }

  write(text: string): void {
    this.stream.write(safeText(text));
  }

  /** Writes over the current line. */
  rewrite(text: string): void {
    this.stream.write(`\r${safeText(text)}`);
  }

  /** Clears the current line, this many lines above it, and all below. */
  eraseLines(above: number): void {
    this.stream.write(`\r${above > 0 ? `\u001b[${above}A` : ''}\u001b[J`);
  }
}
