// Preload of every page of the window: exposes the typed bridge and nothing of Electron. It runs in the sandbox and imports only `electron`.
import { contextBridge, ipcRenderer } from 'electron';
import type { DesktopApi } from '@svc/shared/desktop-api';
import type { Reply } from './core/ipc.ts';

async function call<T>(channel: string, payload?: unknown): Promise<T> {
  const reply = (await ipcRenderer.invoke(channel, payload)) as Reply;
  if ('error' in reply) throw new Error(reply.error);
  return reply.value as T;
}

function subscribe<T>(channel: string, listener: (value: T) => void): () => void {
  const onEvent = (_event: unknown, value: T) => listener(value);
  ipcRenderer.on(channel, onEvent);
  return () => ipcRenderer.removeListener(channel, onEvent);
}

const api: DesktopApi = {
  apiVersion: 1,
  platform: process.platform as DesktopApi['platform'],
  getInfo: () => call('svc:get-info'),
  getBackend: () => call('svc:get-backend'),
  onBackend: (listener) => subscribe('svc:on-backend', listener),
  restartBackend: (mode) => call('svc:restart-backend', mode),
  openLogs: () => call('svc:open-logs'),
  openExternal: (url) => call('svc:open-external', url),
  pickFiles: (kind) => call('svc:pick-files', kind),
  saveFile: (name, bytes) => call('svc:save-file', [name, bytes]),
  profiles: {
    list: () => call('svc:profiles-list'),
    save: (profile) => call('svc:profiles-save', profile),
    remove: (id) => call('svc:profiles-remove', id),
    select: (id) => call('svc:profiles-select', id),
    test: (profile) => call('svc:profiles-test', profile),
  },
  notifications: {
    getPrefs: () => call('svc:notifications-get'),
    setPrefs: (prefs) => call('svc:notifications-set', prefs),
  },
  work: {
    get: () => call('svc:work-get'),
    pause: (paused) => call('svc:work-pause', paused),
    limit: (limits) => call('svc:work-limit', limits),
  },
  onWork: (listener) => subscribe('svc:on-work', listener),
  updates: {
    get: () => call('svc:updates-get'),
    check: () => call('svc:updates-check'),
    install: () => call('svc:updates-install'),
  },
  onUpdate: (listener) => subscribe('svc:on-update', listener),
  onDeepLink(listener) {
    const stop = subscribe('svc:on-deep-link', listener);
    void call('svc:deep-link-listen');
    return stop;
  },
  setTheme: (mode) => call('svc:set-theme', mode),
};

contextBridge.exposeInMainWorld('svcDesktop', api);
