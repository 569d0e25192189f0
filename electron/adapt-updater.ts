// Adapter of an updater of electron-updater: checks, downloads and installs on request only. It loads no library itself.
import type { AppUpdater } from 'electron-updater';
import type { Updater } from './core/updates.ts';

export interface Feed {
  readonly url: string;
  readonly channel: string;
}

/** `open` is called at the first use. */
export function adaptUpdater({ url, channel }: Feed, open: () => Promise<AppUpdater>): Updater {
  const prepare = async () => {
    const updater = await open();
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false;
    updater.setFeedURL({ provider: 'generic', url, channel: channel === 'beta' ? 'beta' : 'latest' });
    updater.allowPrerelease = channel === 'beta';
    updater.allowDowngrade = false;
    return updater;
  };
  let preparing: Promise<AppUpdater> | undefined;
  let opened: AppUpdater | undefined;
  const prepared = async () => (opened = await (preparing ??= prepare()));
  return {
    async check() {
      const found = await (await prepared()).checkForUpdates();
      return found?.isUpdateAvailable ? found.updateInfo.version : undefined;
    },
    async download(onPercent) {
      const updater = await prepared();
      const onProgress = ({ percent }: { percent: number }) => onPercent(percent);
      updater.on('download-progress', onProgress);
      try {
        await updater.downloadUpdate();
      } finally {
        updater.removeListener('download-progress', onProgress);
      }
    },
    install(onFailed) {
      opened?.once('error', onFailed);
      opened?.quitAndInstall();
    },
  };
}
