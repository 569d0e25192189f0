// Audit lines on disk until a receiver has them: a directory of segments, each a file of JSON lines. Several processes may share it; each segment has one
// writer, and any of them may send it.
import { readJson } from '@svc/shared/json';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const OPEN = '.open';
const CLOSED = '.jsonl';
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** A segment is one request. */
const SEGMENT_MAX_BYTES = 256 * 1024;
/** Size of the directory past which lines are refused, and wait in memory. */
const SPOOL_MAX_BYTES = 256 * 1024 * 1024;

class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

export class AuditSpool {
  readonly #directory: string;
  #handle: FileHandle | undefined;
  #name = '';
  #bytes = 0;
  /** Bytes in the directory when they were last summed up, and those appended since. */
  #total = 0;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Takes over segments that ended processes left open. */
  static async open(directory: string): Promise<AuditSpool> {
    await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    const spool = new AuditSpool(directory);
    for (const name of (await readdir(directory)).filter((each) => each.endsWith(OPEN) && !isAlive(each)))
      // Another process that starts at the same time may be first.
      await spool.#closeSegment(name).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    spool.#total = await spool.#measure();
    return spool;
  }

  /** Bytes in the directory. */
  async #measure(): Promise<number> {
    const names = await readdir(this.#directory);
    const sizes = await Promise.all(names.map((name) => stat(join(this.#directory, name)).catch(() => ({ size: 0 }))));
    return sizes.reduce((sum, { size }) => sum + size, 0);
  }

  #closeSegment(name: string): Promise<void> {
    return rename(join(this.#directory, name), join(this.#directory, `${name.slice(0, -OPEN.length)}${CLOSED}`));
  }

  /** Appends whole lines. Returns how many bytes were written. */
  write(bytes: Buffer): Promise<number> {
    return this.#inTurn(() => this.#append(bytes));
  }

  async #append(bytes: Buffer): Promise<number> {
    // Segments are sent and removed by any process, so the sum is only an upper limit.
    if (this.#total + bytes.length > SPOOL_MAX_BYTES) this.#total = await this.#measure();
    if (this.#total + bytes.length > SPOOL_MAX_BYTES)
      throw new SpoolFull(`${this.#directory} holds ${this.#total} bytes of unsent audit lines`);
    const handle = this.#handle ?? (await this.#begin());
    await handle.appendFile(bytes);
    this.#bytes += bytes.length;
    this.#total += bytes.length;
    if (this.#bytes >= SEGMENT_MAX_BYTES) await this.#end();
    return bytes.length;
  }

  /** Closes the segment that is being written, so that it can be sent. */
  cut(): Promise<void> {
    return this.#inTurn(() => this.#end());
  }

  /** Writes and cuts come one after the other: a write in the midst of a cut would begin a segment, and the cut would close that one. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #end(): Promise<void> {
    const handle = this.#handle;
    if (!handle) return;
    this.#handle = undefined;
    await handle.close();
    await this.#closeSegment(this.#name);
  }

  close(): Promise<void> {
    return this.cut();
  }

  /** Closed segments, oldest first. */
  async segments(): Promise<string[]> {
    return (await readdir(this.#directory)).filter((name) => name.endsWith(CLOSED)).sort();
  }

  /** Lines of a segment; undefined when another process has sent it. A line that was cut by a crash is left out. */
  async read(name: string): Promise<unknown[] | undefined> {
    const text = await readFile(join(this.#directory, name), 'utf8').catch(() => undefined);
    return text
      ?.split('\n')
      .map(readJson)
      .filter((event) => event !== undefined);
  }

  remove(name: string): Promise<void> {
    return rm(join(this.#directory, name), { force: true });
  }

  async #begin(): Promise<FileHandle> {
    // Sorted by time; the process is named so that another one can check whether it still writes.
    this.#name = `${String(Date.now()).padStart(15, '0')}-${process.pid}-${randomUUID()}${OPEN}`;
    this.#bytes = 0;
    return (this.#handle = await open(join(this.#directory, this.#name), 'ax', FILE_MODE));
  }
}

function isAlive(name: string): boolean {
  const pid = Number(name.split('-')[1]);
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
