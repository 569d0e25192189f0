// A plain client of the event streams: reads, and on every break continues from the last id it has seen.
import { get, type IncomingMessage } from 'node:http';

export interface SeenEvent {
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WatchOptions {
  /** Path and query of the stream. */
  readonly path: string;
  /** Name of the SSE events to keep; absent: all that have an id. */
  readonly event?: string;
  /** An address that may answer, or undefined when no server answers now. */
  readonly url: () => string | undefined;
  readonly onItem?: (item: SeenEvent) => void;
}

const RETRY_MS = 40;
/** A stream that is silent for this long belongs to a stopped server. */
const SILENCE_MAX_MS = 20_000;

export class WatchClient {
  readonly items: SeenEvent[] = [];
  /** Violations of a stream's guarantees, in words. */
  readonly surprises: string[] = [];
  connections = 0;
  readonly #options: WatchOptions;
  readonly #waiting = new Set<() => void>();
  #last = 0;
  #stopped = false;
  #response: IncomingMessage | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  get last(): number {
    return this.#last;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#response?.destroy();
    await this.#loop;
  }

  /** Ends the connection, as a network fault might; the client reconnects. */
  cut(): void {
    this.#response?.destroy();
  }

  /** Resolves when everything up to `seq` has arrived, or after `timeoutMs`. */
  async caughtUp(seq: number, timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (this.#last < seq && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return this.#last >= seq;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const url = this.#options.url();
      if (url !== undefined) await this.#connect(url);
      if (!this.#stopped) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #connect(base: string): Promise<void> {
    return new Promise((resolve) => {
      const request = get(
        `${base}${this.#options.path}`,
        { agent: false, headers: { 'last-event-id': String(this.#last) } },
        (response) => {
          this.#response = response;
          response.on('close', resolve);
          response.on('error', () => undefined);
          if (response.statusCode !== 200) return void response.resume().on('end', resolve);
          this.connections += 1;
          let buffer = '';
          response.setEncoding('utf8').on('data', (text: string) => {
            const frames = (buffer + text).split('\n\n');
            buffer = frames.pop() ?? '';
            for (const frame of frames) this.#take(frame);
            this.#waiting.forEach((wake) => wake());
            this.#waiting.clear();
          });
        },
      );
      request.setTimeout(SILENCE_MAX_MS, () => request.destroy());
      request.on('error', () => resolve());
    });
  }

  #take(frame: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
    const event = field('event');
    if (event === 'resync') this.surprises.push(`resync after ${this.#last}`);
    const id = field('id');
    const data = field('data');
    const wanted = this.#options.event ?? event;
    if (event !== wanted || id === undefined || data === undefined) return;
    const item = { seq: Number(id), data: JSON.parse(data) as Record<string, unknown> };
    this.items.push(item);
    this.#last = item.seq;
    this.#options.onItem?.(item);
  }
}
