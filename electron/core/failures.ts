// Reports failures of commands, files and addresses to the person. Pages show the failures of their own calls.
import type { ElectronApi } from './platform-port.ts';

/** Shows the title and the reason in a dialog, and logs both. Never rejects. */
export type ReportFailure = (title: string, error: unknown) => Promise<void>;

const REASON_MAX = 300;

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, REASON_MAX);

export function createFailureReport(api: Pick<ElectronApi, 'confirm' | 'whenReady'>, log: (line: string) => void): ReportFailure {
  return async (title, error) => {
    const detail = reasonOf(error);
    log(`${title}: ${detail}`);
    // macOS opens files before the app can show dialogs.
    await api.whenReady();
    await api.confirm({ message: title, detail }).catch(() => false);
  };
}
