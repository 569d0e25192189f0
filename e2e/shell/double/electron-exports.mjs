// Exports of the double under the names that the built main process imports.
import { createRequire } from 'node:module';

export const {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
  webContents,
} = createRequire(import.meta.url)('./electron.cjs');
