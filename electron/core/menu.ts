// The menu of the app and of the tray as data; the platform renders them. Pure.
import type { BackendState } from '@svc/shared/desktop-api';
import { isDataWork, WORK_SENTENCES } from './data-work.ts';
import type { Waiting } from './notices.ts';

/** Menu actions of this app, besides those of Electron. */
export type MenuCommand =
  | 'open-logs'
  | 'restart-server'
  | 'safe-mode'
  | 'back-up'
  | 'export-all'
  | 'restore'
  | 'reset'
  | 'check-updates'
  | 'pause-work'
  | 'resume-work'
  | 'reload'
  | 'show-window'
  | 'open-inbox'
  | 'quit';

/** `profile`: that of the item. */
export type OnMenuCommand = (command: MenuCommand, profile?: string) => void;

export type MenuItem =
  | { readonly type: 'separator' }
  | { readonly type: 'role'; readonly role: string }
  | {
      readonly type: 'command';
      readonly label: string;
      readonly command: MenuCommand;
      readonly accelerator?: string;
      readonly enabled?: boolean;
      /** Profile of the server that it is about; absent: the one of this machine. */
      readonly profile?: string;
    }
  | { readonly type: 'text'; readonly label: string }
  | { readonly type: 'submenu'; readonly label: string; readonly items: readonly MenuItem[] };

export type Platform = 'darwin' | 'linux' | 'win32';

const separator: MenuItem = { type: 'separator' };
const role = (name: string): MenuItem => ({ type: 'role', role: name });
const command = (label: string, name: MenuCommand, accelerator?: string): MenuItem => ({
  type: 'command',
  label,
  command: name,
  ...(accelerator !== undefined && { accelerator }),
});

const quit = command('Quit', 'quit', 'CommandOrControl+Q');

function appMenu(): MenuItem {
  const items = [
    role('about'),
    separator,
    command('Check for Updates…', 'check-updates'),
    separator,
    role('hide'),
    role('hideOthers'),
    separator,
    quit,
  ];
  return { type: 'submenu', label: 'Svc Desktop', items };
}

export function menuTemplate(platform: Platform): readonly MenuItem[] {
  const mac = platform === 'darwin';
  const file = [command('Open Inbox', 'open-inbox', 'CommandOrControl+Shift+I'), separator, mac ? role('close') : quit];
  const edit = ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll'].map(role);
  const view = [
    command('Reload', 'reload', 'CommandOrControl+R'),
    separator,
    role('resetZoom'),
    role('zoomIn'),
    role('zoomOut'),
    separator,
    role('togglefullscreen'),
  ];
  const server = [
    command('Restart Server', 'restart-server'),
    command('Restart in Safe Mode', 'safe-mode'),
    separator,
    command('Export Everything…', 'export-all'),
    separator,
    command('Back Up Data', 'back-up'),
    command('Restore a Copy…', 'restore'),
    command('Reset Data…', 'reset'),
    separator,
    command('Open Logs', 'open-logs'),
  ];
  // On a Mac both are in the menu of the app.
  const help = mac ? [] : [command('Check for Updates…', 'check-updates'), role('about')];
  return [
    ...(mac ? [appMenu()] : []),
    { type: 'submenu', label: 'File', items: file },
    { type: 'submenu', label: 'Edit', items: edit },
    { type: 'submenu', label: 'View', items: view },
    { type: 'submenu', label: 'Server', items: server },
    ...(help.length === 0 ? [] : [{ type: 'submenu', label: 'Help', items: help } as const]),
  ];
}

export interface TrayFacts {
  readonly phase: BackendState['phase'];
  readonly runningTasks: number;
  readonly waiting: readonly Waiting[];
  /** The person paused the work of the server. */
  readonly paused: boolean;
}

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function serverLine({ phase, runningTasks, paused }: TrayFacts): string {
  if (phase === 'ready' && paused) return 'Work is paused';
  if (phase === 'ready') return runningTasks === 0 ? 'Nothing is running' : `${plural(runningTasks, 'active run')}`;
  if (phase === 'failed') return 'The server is not running';
  if (isDataWork(phase)) return WORK_SENTENCES[phase];
  return `The server is ${phase === 'backoff' ? 'restarting' : phase}`;
}

export interface TrayTemplate {
  /** Name of the icon in resources/build. */
  readonly icon: 'tray' | 'tray-attention';
  readonly tooltip: string;
  readonly items: readonly MenuItem[];
}

export function trayTemplate(facts: TrayFacts): TrayTemplate {
  const pending = facts.waiting.reduce((sum, { count }) => sum + count, 0);
  const line = (count: number): string => `${plural(count, 'approval')} wait${count === 1 ? 's' : ''}`;
  const none = 'No approvals wait';
  const lines = facts.waiting.map(({ server, count }): MenuItem => {
    const label = line(count);
    return server === undefined
      ? command(label, 'open-inbox')
      : { type: 'command', label: `${label} on ${server.name}`, command: 'open-inbox', profile: server.id };
  });
  const status = serverLine(facts);
  return {
    icon: pending > 0 || facts.phase === 'failed' ? 'tray-attention' : 'tray',
    tooltip: `Svc Desktop: ${status.toLowerCase()}, ${(pending === 0 ? none : line(pending)).toLowerCase()}`,
    items: [
      command('Open Svc Desktop', 'show-window'),
      { type: 'text', label: status },
      ...(lines.length === 0 ? [{ type: 'text', label: none } as const] : lines),
      separator,
      ...(facts.phase === 'ready' ? [facts.paused ? command('Resume Work', 'resume-work') : command('Pause Work', 'pause-work')] : []),
      ...(isDataWork(facts.phase) ? [] : [command('Restart Server', 'restart-server')]),
      quit,
    ],
  };
}
