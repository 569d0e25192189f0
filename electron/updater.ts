// Adapter of electron-updater: downloads and installs on request only, from one feed. The library is loaded when it is first used.
import type * as Library from 'electron-updater';
import type { AppUpdater } from 'electron-updater';
import type { Updater } from './core/updates.ts';

interface Feed {
  readonly url: string;
  readonly channel: string;
}

async function open({ url, channel }: Feed): Promise<AppUpdater> {
  // Its exports are getters, which a bundle shows under `default` only.
  const library = await import('electron-updater');
  const { autoUpdater } = 'autoUpdater' in library ? library : (library as { default: typeof Library }).default;
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = false;
  autoUpdater.allowDowngrade = false;
  autoUpdater.allowPrerelease = channel === 'beta';
  autoUpdater.setFeedURL({ provider: 'generic', url, channel: channel === 'beta' ? 'beta' : 'latest' });
  return autoUpdater;
}

export function createUpdater(feed: Feed): Updater {
  let opening: Promise<AppUpdater> | undefined;
  let opened: AppUpdater | undefined;
  const updater = async () => (opened = await (opening ??= open(feed)));
  return {
    async check() {
      const found = await (await updater()).checkForUpdates();
      return found?.isUpdateAvailable ? found.updateInfo.version : undefined;
    },
    async download(onPercent) {
      const library = await updater();
      const onProgress = ({ percent }: { percent: number }) => onPercent(percent);
      library.on('download-progress', onProgress);
      try {
        await library.downloadUpdate();
      } finally {
        library.removeListener('download-progress', onProgress);
      }
    },
    install: () => opened?.quitAndInstall(),
  };
}
