// Work on all data of this machine's server: one at a time, with the server stopped. The app owns the data meanwhile, by the lock that servers take.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE } from './backup.ts';
import { WORK_SENTENCES, type DataWork } from './data-work.ts';

export const OTHER_OWNER = 'Another program runs the server of this data: stop that program first';

export interface MaintenanceOptions {
  readonly dataDir: string;
  /** Stops the server; false when it did not end. */
  readonly stopServer: () => Promise<boolean>;
}

export class Maintenance {
  readonly #options: MaintenanceOptions;
  #work: DataWork | null = null;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** Work in progress; the server must not be started beside it. */
  get work(): DataWork | null {
    return this.#work;
  }

  /** Resolves at the end of work in progress. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /** Throws, with the name of work in progress. */
  assertNone(): void {
    if (this.#work !== null) throw new Error(`${WORK_SENTENCES[this.#work]}: wait for the end`);
  }

  /** Acts with the server stopped, and leaves it stopped. Rejects without acting, with what to do, while the data is in use. */
  async run<T>(work: DataWork, act: () => Promise<T>): Promise<T> {
    this.assertNone();
    this.#work = work;
    const done = this.#whileOwned(act).finally(() => (this.#work = null));
    this.#ended = done.catch(() => undefined);
    return done;
  }

  async #whileOwned<T>(act: () => Promise<T>): Promise<T> {
    if (!(await this.#options.stopServer())) throw new Error('The server did not end: quit the app and start it again');
    const release = await ownData(this.#options.dataDir);
    try {
      return await act();
    } finally {
      release();
    }
  }
}

/** Takes the data as a server does, so that neither starts beside the other. Rejects while another program has it. */
async function ownData(dataDir: string): Promise<() => void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Loaded when needed: it loads the database engine.
  const { acquireOwnerLock } = await import('../../server/store/sqlite/owner-lock.ts');
  try {
    return acquireOwnerLock(join(dataDir, DATABASE));
  } catch (error) {
    const isOwned = error instanceof Error && 'fatal' in error && error.fatal === 'LOCKED';
    throw isOwned ? new Error(OTHER_OWNER, { cause: error }) : error;
  }
}
