// The updater of this system. The library is loaded when it is first used.
import type * as Library from 'electron-updater';
import { adaptUpdater, type Feed } from './adapt-updater.ts';
import type { Updater } from './core/updates.ts';

export const createUpdater = (feed: Feed): Updater =>
  adaptUpdater(feed, async () => {
    const library = await import('electron-updater');
    // Its exports are getters, which a bundle shows under `default` only.
    return ('autoUpdater' in library ? library : (library as { default: typeof Library }).default).autoUpdater;
  });
