// Server-sent events as bytes. An item that many watchers share is serialised once for all of them.

export function frame(event: string, data: unknown, id?: string): Buffer {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

interface CachedFrame {
  readonly id: string | undefined;
  readonly bytes: Buffer;
}

/** Frames of items, kept as long as their item lives. */
export class FrameCache<Item extends object> {
  readonly #eventOf: (item: Item) => string;
  readonly #frames = new WeakMap<Item, CachedFrame>();

  constructor(event: string | ((item: Item) => string)) {
    this.#eventOf = typeof event === 'string' ? () => event : event;
  }

  frame(item: Item, id: string | undefined): Buffer {
    const known = this.#frames.get(item);
    if (known !== undefined && known.id === id) return known.bytes;
    const bytes = frame(this.#eventOf(item), item, id);
    this.#frames.set(item, { id, bytes });
    return bytes;
  }
}
