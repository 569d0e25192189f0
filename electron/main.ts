// Entry of the app: takes the switches that must be set before Electron is ready, then starts the app over the real platform.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { app, dialog, utilityProcess } from 'electron';
import { parseCommandLine } from './core/cli.ts';
import { Desktop } from './core/desktop.ts';
import { createUtilityHost } from './core/hosts/utility.ts';
import { personEnvironment } from './core/login-env.ts';
import { createPlatform, registerShellScheme } from './platform.ts';

app.enableSandbox();
registerShellScheme();

// The same as appId of electron-builder.yml, which the shortcut has: notifications and pinned windows belong to it.
if (process.platform === 'win32') app.setAppUserModelId('dev.svc.desktop');

const { userDataDir } = parseCommandLine(process.argv);
if (userDataDir !== undefined) {
  const directory = resolve(userDataDir);
  mkdirSync(directory, { recursive: true });
  app.setPath('userData', directory);
}

const fromShell = app.isPackaged && process.platform !== 'win32';
const environment = personEnvironment(process.env, { fromShell });

const desktop = new Desktop(createPlatform(), {
  environment,
  createHost: async (entry) => createUtilityHost(utilityProcess.fork.bind(utilityProcess), { entry, env: await environment.forServer() }),
  timers: {
    now: () => Date.now(),
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  },
});
// Not awaited here: Electron becomes ready only after this module has been evaluated.
desktop.start().catch((error: unknown) => {
  dialog.showErrorBox('The app could not start', error instanceof Error ? error.message : String(error));
  app.exit(1);
});
