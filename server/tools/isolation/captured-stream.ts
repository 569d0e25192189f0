// Start of one output stream, up to a limit. Keeps reading past it, so that the writer is not blocked, until the stream is a flood.

export interface CaptureLimits {
  readonly outputMaxBytes: number;
  readonly floodMaxBytes: number;
  /** Called once, when more than `floodMaxBytes` have come. */
  readonly onFlood: () => void;
}

export class CapturedStream {
  readonly #limits: CaptureLimits;
  readonly #kept: Uint8Array[] = [];
  #bytes = 0;

  constructor(limits: CaptureLimits) {
    this.#limits = limits;
  }

  push(chunk: Uint8Array): void {
    const room = this.#limits.outputMaxBytes - this.#bytes;
    const before = this.#bytes;
    this.#bytes += chunk.byteLength;
    // A view would keep the whole chunk in memory.
    if (room > 0) this.#kept.push(chunk.byteLength <= room ? chunk : Uint8Array.from(chunk.subarray(0, room)));
    if (before <= this.#limits.floodMaxBytes && this.#bytes > this.#limits.floodMaxBytes) this.#limits.onFlood();
  }

  get truncated(): boolean {
    return this.#bytes > this.#limits.outputMaxBytes;
  }

  /** UTF-8; invalid bytes are replaced, and a character that the limit cut in two is left out. */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return decoder.decode(Buffer.concat(this.#kept), { stream: this.truncated });
  }
}
