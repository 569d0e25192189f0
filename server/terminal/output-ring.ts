// The newest output of a terminal, which a page that reloads shows again. Pure.

export interface Replay {
  readonly bytes: Buffer;
  /** Earlier output is gone: the bytes begin after a line break, so that no character or control sequence is cut. */
  readonly truncated: boolean;
}

const LINE_BREAK = 0x0a;

export class OutputRing {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #truncated = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Whole chunks leave only once twice the size is held, which copies each byte about once.
    if (this.#bytes > 2 * this.#maxBytes) this.#trim();
  }

  read(): Replay {
    this.#trim();
    const bytes = Buffer.concat(this.#chunks);
    return { bytes, truncated: this.#truncated };
  }

  #trim(): void {
    if (this.#bytes <= this.#maxBytes) return;
    const newest = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
    const line = newest.indexOf(LINE_BREAK);
    const kept = Buffer.from(line === -1 ? newest : newest.subarray(line + 1));
    this.#chunks = [kept];
    this.#bytes = kept.length;
    this.#truncated = true;
  }
}
