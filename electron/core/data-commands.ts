// Commands of the menu that concern all data of this machine's server: export, copy, restore, reset. The server is stopped for all but the first.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backUpData } from './backup.ts';
import { copyOf, resetData, restoreData, type DataFolder } from './data-folder.ts';
import type { DataWork } from './data-work.ts';
import type { ReportFailure } from './failures.ts';
import type { ElectronApi } from './platform-port.ts';

export interface DataCommandParts {
  readonly api: Pick<ElectronApi, 'confirm' | 'openPath' | 'pickFiles' | 'pickTarget' | 'paths'>;
  readonly dataDir: string;
  readonly runningTasks: () => number;
  /** Acts while no server has the data, then starts the server again. Rejects with what to do when that cannot be. */
  readonly maintain: (work: DataWork, act: () => Promise<void>) => Promise<void>;
  /** Everything that was declared, as YAML. Rejects while no server answers. */
  readonly readExport: () => Promise<string>;
  readonly report: ReportFailure;
}

export class DataCommands {
  readonly #parts: DataCommandParts;

  constructor(parts: DataCommandParts) {
    this.#parts = parts;
  }

  /** The file is private: it holds prompts and addresses. */
  async exportAll(): Promise<void> {
    try {
      const text = await this.#parts.readExport();
      const target = await this.#parts.api.pickTarget(`export-${new Date().toISOString().slice(0, 10)}.yaml`);
      if (target !== undefined) await writeFile(target, text, { mode: 0o600 });
    } catch (error) {
      await this.#parts.report('Nothing was exported', error);
    }
  }

  async backUp(): Promise<void> {
    const { api, report } = this.#parts;
    let copy: string | undefined;
    await this.#whileStopped({ work: 'copying', failed: 'The data was not copied' }, async ({ dataDir, backups, label }) => {
      copy = await backUpData(dataDir, backups, label);
    });
    if (copy !== undefined) await api.openPath(copy).catch((error: unknown) => report(`The data was copied to ${copy}`, error));
  }

  async reset(): Promise<void> {
    const detail = `Systems, runs, Secrets and everything else on the server of this machine are removed. A copy is made in ${this.#backups()} first. The settings of the app and its other servers stay.${this.#running()}`;
    if (!(await this.#parts.api.confirm({ message: 'Reset the data of this app?', detail, yes: 'Reset' }))) return;
    await this.#whileStopped({ work: 'resetting', failed: 'The data was not reset' }, (folder) => resetData(folder));
  }

  async restore(): Promise<void> {
    const { api, dataDir } = this.#parts;
    const [path] = await api.pickFiles(['db']);
    if (path === undefined) return;
    try {
      const source = copyOf(path, dataDir);
      const detail = `${source}\n\nIt replaces the data of this app. A copy of the current data is made in ${this.#backups()} first.${this.#running()}`;
      if (!(await api.confirm({ message: 'Restore this copy?', detail, yes: 'Restore' }))) return;
      await this.#whileStopped({ work: 'restoring', failed: 'The copy was not restored' }, (folder) => restoreData(folder, source));
    } catch (error) {
      await this.#parts.report('The copy was not restored', error);
    }
  }

  #backups(): string {
    return join(this.#parts.api.paths.userData, 'backups');
  }

  #running(): string {
    const count = this.#parts.runningTasks();
    return count === 0 ? '' : ` ${count} run${count === 1 ? ' is' : 's are'} active and will be interrupted.`;
  }

  async #whileStopped({ work, failed }: { work: DataWork; failed: string }, act: (folder: DataFolder) => Promise<unknown>): Promise<void> {
    const { dataDir, maintain } = this.#parts;
    const label = new Date().toISOString().replaceAll(':', '-');
    try {
      await maintain(work, async () => void (await act({ dataDir, backups: this.#backups(), label })));
    } catch (error) {
      await this.#parts.report(failed, error);
    }
  }
}
