// Work on all data of this machine's server: one at a time, with the server stopped. The app owns the data meanwhile, by the lock that servers take.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE } from './backup.ts';

/** Work on all data, as its error names it. */
const WORK = {
  copying: 'The data is being copied',
  restoring: 'A copy is being restored',
  resetting: 'The data is being reset',
} as const;
export type DataWork = keyof typeof WORK;

export const OTHER_OWNER = 'Another program runs the server of this data: stop that program first';

export interface MaintenanceOptions {
  readonly dataDir: string;
  /** Stops the server; false when it did not end. */
  readonly stopServer: () => Promise<boolean>;
}

export class Maintenance {
  readonly #options: MaintenanceOptions;
  #work: DataWork | null = null;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** Acts with the server stopped, and leaves it stopped. Rejects without acting, with what to do, while the data is in use. */
  async run<T>(work: DataWork, act: () => Promise<T>): Promise<T> {
    if (this.#work !== null) throw new Error(`${WORK[this.#work]}: wait for the end`);
    this.#work = work;
    try {
      if (!(await this.#options.stopServer())) throw new Error('The server did not end: quit the app and start it again');
      const release = await ownData(this.#options.dataDir);
      try {
        return await act();
      } finally {
        release();
      }
    } finally {
      this.#work = null;
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
