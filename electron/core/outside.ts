// Addresses and folders that other programs of this machine open. A page may request any address: the person sees and confirms it.
import type { ReportFailure } from './failures.ts';
import type { ElectronApi } from './platform-port.ts';
import { externalAddress } from './security.ts';

export interface OutsideParts {
  readonly api: Pick<ElectronApi, 'confirm' | 'openExternal' | 'openPath' | 'paths'>;
  readonly log: (line: string) => void;
  readonly report: ReportFailure;
}

export class Outside {
  readonly #parts: OutsideParts;
  #asksForAddress = false;

  constructor(parts: OutsideParts) {
    this.#parts = parts;
  }

  /** Whether the address was opened: it is one of https or mailto, and the person agreed. Never rejects. */
  async openAddress(url: string): Promise<boolean> {
    const { api, log, report } = this.#parts;
    const address = externalAddress(url);
    if (address === undefined) {
      log('refused to open an address outside of the app');
      return false;
    }
    // A page may request any number of them.
    if (this.#asksForAddress) return false;
    this.#asksForAddress = true;
    const question = { message: 'Open this address in another program?', detail: address, yes: 'Open' };
    const isWanted = await api.confirm(question).finally(() => (this.#asksForAddress = false));
    if (!isWanted) return false;
    try {
      await api.openExternal(address);
      return true;
    } catch (error) {
      await report('The address was not opened', error);
      return false;
    }
  }

  openLogs(): Promise<void> {
    const { api, report } = this.#parts;
    return api.openPath(api.paths.logs).catch((error: unknown) => report('The logs were not opened', error));
  }
}
