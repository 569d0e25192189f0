// Audit log of a process: one JSON line per event, appended to a file or to standard output. Events that cannot be written are kept for a while and retried.
import { randomUUID } from 'node:crypto';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { AuditEvent, AuditSink } from './audit-event.ts';
import { AuditSpool } from './audit-spool.ts';
import { startAuditSender, type AuditWebhook } from './audit-webhook.ts';

export interface AuditLog extends AuditSink {
  /** Writes what is left, once. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** Where lines go. A write says how many bytes it took. */
interface Destination {
  write(bytes: Buffer): Promise<number>;
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Where `stdout` goes; default the process's. */
  readonly stdout?: { write(text: string): unknown };
}

const STDOUT = 'stdout';
const FILE_MODE = 0o600;
/** Bytes of events that wait while the file cannot be written; further events are lost and counted. */
const WAITING_MAX_BYTES = 8 * 1024 * 1024;
const RETRY_MS = 1_000;
/** Longest time between checks of the file's name: a rotated file is closed this soon. */
const LOOK_MS = 1_000;

/** Lines that go to a webhook by way of a spool on disk. Rejects with a ServiceError, in one sentence, when the spool cannot be opened. */
export async function openAuditWebhook(
  { spool: directory, ...webhook }: AuditWebhook & { readonly spool: string },
  options: AuditLogOptions,
): Promise<AuditLog> {
  const spool = await AuditSpool.open(directory).catch((cause: NodeJS.ErrnoException) => {
    throw new ServiceError('invalid', `--audit-spool: cannot use ${directory}: ${cause.code ?? cause.message}`, { cause });
  });
  const queue = new QueuedAuditLog(spool, directory, options);
  const sender = startAuditSender(spool, webhook, options);
  return {
    // Receivers tell repeated events apart by their id.
    write: (event) => queue.write({ id: randomUUID(), ...event }),
    async close() {
      await queue.close();
      await sender.close();
    },
  };
}

/** Rejects with a ServiceError, in one sentence, when the file cannot be opened. */
export async function openAuditLog(target: string, options: AuditLogOptions): Promise<AuditLog> {
  if (target !== STDOUT) return new QueuedAuditLog(await openFile(target, options.clock), target, options);
  const stdout = options.stdout ?? process.stdout;
  return { write: (event) => void stdout.write(`${JSON.stringify(event)}\n`), close: () => Promise.resolve() };
}

async function openFile(path: string, clock: Clock): Promise<Destination> {
  const file = new RotatedFile(path, clock);
  await file.open().catch((cause: NodeJS.ErrnoException) => {
    throw new ServiceError('invalid', `--audit-log: cannot open ${path} for appending: ${cause.code ?? cause.message}`, { cause });
  });
  return file;
}

/** A file that others may move away or remove: lines then go to a new one of its name. No signal is needed for that. */
class RotatedFile implements Destination {
  readonly #path: string;
  readonly #clock: Clock;
  #handle: FileHandle | undefined;
  #inode = 0;
  #lookedAt = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  async open(): Promise<FileHandle> {
    const handle = await open(this.#path, 'a', FILE_MODE);
    this.#inode = (await handle.stat()).ino;
    this.#lookedAt = this.#clock.now();
    return (this.#handle = handle);
  }

  async write(bytes: Buffer): Promise<number> {
    await this.#leaveRotated();
    const handle = this.#handle ?? (await this.open());
    return (await handle.write(bytes)).bytesWritten;
  }

  async #leaveRotated(): Promise<void> {
    const now = this.#clock.now();
    if (Math.abs(now - this.#lookedAt) < LOOK_MS) return;
    this.#lookedAt = now;
    const there = await stat(this.#path).catch(() => undefined);
    if (there?.ino === this.#inode) return;
    await this.close();
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

class QueuedAuditLog implements AuditLog {
  readonly #destination: Destination;
  readonly #path: string;
  readonly #options: AuditLogOptions;
  readonly #closing = new AbortController();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #writing: Promise<void> | undefined;
  #failing = false;

  constructor(destination: Destination, path: string, options: AuditLogOptions) {
    this.#destination = destination;
    this.#path = path;
    this.#options = options;
  }

  write(event: AuditEvent): void {
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    if (this.#waitingBytes + line.length > WAITING_MAX_BYTES) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#drain();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    await this.#destination.close().catch(() => undefined);
    if (this.#waitingBytes > 0)
      this.#options.log.error({ path: this.#path, bytes: this.#waitingBytes }, 'audit lines could not be written and are lost');
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = [batch];
      const written = await this.#destination.write(batch).catch((error: unknown) => this.#failed(error));
      if (written === undefined && this.#closing.signal.aborted) break;
      // Events that arrived during the write follow the batch.
      if (written !== undefined) this.#wrote(batch, written);
      else await this.#options.clock.sleep(RETRY_MS, this.#closing.signal).catch(() => undefined);
    }
    // Done here, not in a continuation of the promise: an event that arrives in between would wait for the next one.
    this.#writing = undefined;
  }

  #wrote(batch: Buffer, bytes: number): void {
    const left = batch.subarray(bytes);
    this.#waiting = [...(left.length > 0 ? [left] : []), ...this.#waiting.slice(1)];
    this.#waitingBytes -= bytes;
    if (this.#failing) this.#options.log.info({ path: this.#path, lost: this.#lost }, 'the audit log is written again');
    this.#failing = false;
    this.#lost = 0;
  }

  /** Logged once for each outage. */
  #failed(error: unknown): undefined {
    if (!this.#failing) this.#options.log.error({ err: error, path: this.#path }, 'the audit log cannot be written; its lines wait');
    this.#failing = true;
    return undefined;
  }
}
