// One terminal: a shell, its newest output, and at most one viewer, at whose pace the shell writes.
import type { Pty, PtyRequest, SpawnPty, TerminalSize } from './pty.ts';
import { OutputRing, type Replay } from './output-ring.ts';

/** Output kept for a page that reloads. */
const RING_BYTES = 256 * 1024;
/** Unshown bytes of a viewer at which the shell is paused, and at which it resumes. */
const UNSHOWN_HIGH_BYTES = 2 * 1024 * 1024;
const UNSHOWN_LOW_BYTES = 1024 * 1024;
/**
 * A read of a pseudoterminal returns at most 4 KiB; one frame holds many reads. The page draws after each frame, which takes as long as
 * parsing 200 KiB, so small frames are slow. It cannot draw while it parses a frame, so larger frames would stutter on a slow machine.
 */
const FRAME_BYTES = 256 * 1024;
/** Unshown bytes from which on the viewer is busy: further output waits for a full frame, or for this time. */
const BUSY_BYTES = 16 * 1024;
const BUSY_FLUSH_MS = 8;
/** Time between the hang-up of a closed terminal and the kill of a shell that ignores it. */
const HANG_UP_MS = 2_000;

/** The page that shows a terminal. Its methods must not throw. */
export interface Viewer {
  output(bytes: Buffer): void;
  exited(code: number): void;
  /** Another page shows the terminal now. */
  replaced(): void;
  /** The server closed the terminal. */
  closed(reason: string): void;
}

/** A viewer's hold on a terminal. Each method does nothing after `leave`, and after another viewer came. */
export interface Attachment {
  /** Earlier output, to be shown before all other. */
  readonly replay: Replay;
  input(text: string): void;
  resize(size: TerminalSize): void;
  /** Reports output that was shown. */
  shown(bytes: number): void;
  leave(): void;
}

export interface SessionOptions {
  readonly spawn: SpawnPty;
  readonly shell: Omit<PtyRequest, 'onData' | 'onExit'>;
  /** Called once, when the shell is gone. */
  readonly onEnd: (code: number) => void;
  readonly onAttached: (attached: boolean) => void;
}

export class TerminalSession {
  readonly #pty: Pty;
  readonly #ring = new OutputRing(RING_BYTES);
  readonly #options: SessionOptions;
  readonly #ended: Promise<void>;
  #viewer: Viewer | undefined;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Cancels the planned flush. */
  #flushing: (() => void) | undefined;
  #unshown = 0;
  #paused = false;
  #closing: NodeJS.Timeout | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    let end: () => void = () => undefined;
    this.#ended = new Promise((resolve) => (end = resolve));
    const onExit = (code: number) => {
      this.#exited(code);
      end();
    };
    this.#pty = options.spawn({ ...options.shell, onData: (bytes) => this.#received(bytes), onExit });
  }

  get attached(): boolean {
    return this.#viewer !== undefined;
  }

  attach(viewer: Viewer, size: TerminalSize): Attachment {
    this.#viewer?.replaced();
    this.#detach();
    this.#viewer = viewer;
    const replay = this.#ring.read();
    this.#unshown = replay.bytes.length;
    this.#pty.resize(size);
    this.#options.onAttached(true);
    const whileHeld = (action: () => void) => {
      if (this.#viewer === viewer) action();
    };
    return {
      replay,
      input: (text) => whileHeld(() => this.#pty.write(text)),
      resize: (next) => whileHeld(() => this.#pty.resize(next)),
      shown: (count) => whileHeld(() => this.#shown(count)),
      leave: () =>
        whileHeld(() => {
          this.#detach();
          this.#options.onAttached(false);
        }),
    };
  }

  /** Sends SIGHUP to the shell, kills it after `hangUpMs`, and resolves when it has ended. Idempotent. */
  close(reason: string, hangUpMs = HANG_UP_MS): Promise<void> {
    if (this.#closing === undefined) {
      this.#viewer?.closed(reason);
      this.#detach();
      this.#pty.kill('SIGHUP');
      this.#closing = setTimeout(() => this.#pty.kill('SIGKILL'), hangUpMs);
    }
    return this.#ended;
  }

  #received(bytes: Buffer): void {
    this.#ring.push(bytes);
    if (this.#viewer === undefined) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    const busy = this.#unshown >= BUSY_BYTES;
    this.#unshown += bytes.length;
    if (this.#unshown >= UNSHOWN_HIGH_BYTES) this.#pause();
    if (this.#pendingBytes >= FRAME_BYTES) this.#flush();
    else this.#flushing ??= this.#planFlush(busy);
  }

  #planFlush(busy: boolean): () => void {
    if (busy) {
      const timer = setTimeout(() => this.#flush(), BUSY_FLUSH_MS);
      return () => clearTimeout(timer);
    }
    const immediate = setImmediate(() => this.#flush());
    return () => clearImmediate(immediate);
  }

  #flush(): void {
    this.#flushing?.();
    this.#flushing = undefined;
    if (this.#pendingBytes > 0) this.#viewer?.output(Buffer.concat(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #shown(count: number): void {
    this.#unshown = Math.max(0, this.#unshown - count);
    if (this.#paused && this.#unshown <= UNSHOWN_LOW_BYTES) this.#resume();
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#pty.pause();
  }

  #resume(): void {
    this.#paused = false;
    this.#pty.resume();
  }

  /** Without a viewer the shell writes on, into the ring. */
  #detach(): void {
    this.#viewer = undefined;
    this.#flush();
    this.#unshown = 0;
    if (this.#paused) this.#resume();
  }

  #exited(code: number): void {
    clearTimeout(this.#closing);
    this.#flush();
    this.#viewer?.exited(code);
    this.#viewer = undefined;
    this.#options.onEnd(code);
  }
}
