// Handlers of the calls that pages make. Each is a few lines over a part of the app; shapes and senders are checked before.
import { writeFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { textStart } from '@svc/shared/text-start';
import type { BackendState, DesktopInfo, FileKind, RestartMode, WorkState } from '@svc/shared/desktop-api';
import { readPicked } from './bundle-file.ts';
import type { ReportFailure } from './failures.ts';
import type { Handlers } from './ipc.ts';
import type { Outside } from './outside.ts';
import type { ElectronApi } from './platform-port.ts';
import type { Profiles } from './profiles.ts';
import type { SettingsStore } from './settings.ts';
import type { Updates } from './updates.ts';

export interface HandlerParts {
  readonly api: ElectronApi;
  readonly settings: SettingsStore;
  readonly profiles: Profiles;
  readonly info: () => DesktopInfo;
  readonly backend: () => BackendState;
  readonly restart: (mode: RestartMode) => Promise<void>;
  /** Throws while work on all data keeps the server from a restart. */
  readonly assertIdle: () => void;
  readonly outside: Outside;
  readonly report: ReportFailure;
  /** A page listens for links now. */
  readonly listen: () => void;
  /** Selects a server and shows it; null: the one of this machine. */
  readonly showServer: (id: string | null) => void;
  readonly work: () => WorkState;
  readonly pause: (paused: boolean) => void;
  readonly updates: () => Updates | undefined;
  readonly onPrefs: () => void;
}

const EXTENSIONS: Readonly<Record<FileKind, readonly string[]>> = {
  manifests: ['yaml', 'yml', 'json'],
  bundle: ['svcbundle'],
  backup: ['svcbackup'],
};
const FILES_MAX = 50;

const NAME_CHARS_MAX = 120;

/** A name for a dialog: no directory, no hidden file. A long one keeps its extension. */
function plainName(name: string): string {
  const { name: stem, ext } = parse(name.replace(/[/\\:*?"<>|\p{Cc}\p{Cf}]/gu, '_').replace(/^\.+/, ''));
  return `${textStart(stem, Math.max(0, NAME_CHARS_MAX - ext.length))}${ext}`.slice(0, NAME_CHARS_MAX) || 'file';
}

const OFF = { phase: 'off', version: null, percent: null, message: null } as const;

export function createHandlers(parts: HandlerParts): Handlers {
  const { api, settings, profiles } = parts;
  return {
    'svc:get-info': () => parts.info(),
    'svc:get-backend': () => parts.backend(),
    'svc:restart-backend': async (mode) => void (await parts.restart(mode)),
    'svc:open-logs': async () => void (await parts.outside.openLogs()),
    'svc:open-external': (url) => parts.outside.openAddress(url),
    'svc:pick-files': async (kind) => {
      const paths = await api.pickFiles(EXTENSIONS[kind], { several: true });
      if (paths.length > FILES_MAX) throw new Error(`Choose at most ${FILES_MAX} files`);
      return Promise.all(paths.map(readPicked));
    },
    'svc:save-file': async ([name, bytes]) => {
      const target = await api.pickTarget(plainName(name));
      if (target === undefined) return false;
      try {
        await writeFile(target, bytes);
        return true;
      } catch (error) {
        await parts.report('The file was not saved', error);
        return false;
      }
    },
    'svc:profiles-list': () => profiles.list(),
    'svc:profiles-save': (draft) => void profiles.save(draft),
    'svc:profiles-remove': (id) => {
      const wasShown = profiles.remove(id);
      if (wasShown) parts.showServer(null);
    },
    'svc:profiles-select': (id) => void parts.showServer(id),
    'svc:profiles-test': (draft) => profiles.test(draft),
    'svc:notifications-get': () => settings.get().notifications,
    'svc:notifications-set': (notifications) => {
      settings.update({ notifications });
      parts.onPrefs();
    },
    'svc:work-get': () => parts.work(),
    'svc:work-pause': (paused) => void parts.pause(paused),
    'svc:work-limit': async (limits) => {
      parts.assertIdle();
      settings.update(limits);
      await parts.restart('normal');
    },
    'svc:updates-get': () => parts.updates()?.state ?? OFF,
    'svc:updates-check': async () => (await parts.updates()?.check()) ?? OFF,
    'svc:updates-install': async () => (await parts.updates()?.install()) ?? OFF,
    'svc:deep-link-listen': () => void parts.listen(),
    'svc:set-theme': (theme) => {
      settings.update({ theme });
      api.setTheme(theme);
    },
  };
}
