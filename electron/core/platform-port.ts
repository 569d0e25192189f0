// Port to Electron: what the app needs of it, without its types. platform.ts is the adapter; tests have a double.
import type { ThemeMode } from '@svc/shared/desktop-api';
import type { Keychain } from './secrets.ts';
import type { Sender } from './security.ts';
import type { Bounds, makeWindowOptions } from './windows.ts';
import type { MenuItem, OnMenuCommand, Platform, TrayTemplate } from './menu.ts';
import type { ShownNotice } from './notify.ts';
import type { Updater } from './updates.ts';

export interface AppWindow {
  load(url: string): Promise<void>;
  reload(): void;
  /** Address of the page; empty before the first. */
  url(): string;
  send(channel: string, payload: unknown): void;
  show(): void;
  isFocused(): boolean;
  bounds(): { readonly bounds: Bounds; readonly maximized: boolean };
  maximize(): void;
  /** Moves the window to the middle of its screen, in this size. */
  centre(size: Pick<Partial<Bounds>, 'width' | 'height'>): void;
}

export interface WindowEvents {
  onReadyToShow(): void;
  /** Moved, resized or maximised. */
  onMoved(): void;
  /** Return true to keep the window and hide it instead. */
  onClose(): boolean;
  onClosed(): void;
  /** Another page begins to load, the same address included; the present one is still there. */
  onNavigating(): void;
  /** Another page has replaced the present one. */
  onNavigated(): void;
  /** Loading has ended, with another page or with the present one. */
  onSettled(): void;
  /** The process of the page is gone. */
  onCrashed(): void;
  /** A page did not load. */
  onLoadFailed(url: string): void;
}

/** Decisions that the platform requests at each event of a session or page. */
export interface Guards {
  mayNavigate(url: string): boolean;
  mayUse(permission: string, url: string): boolean;
  /** A page opens a window: this is denied, and the address may be opened outside. */
  onOpenWindow(url: string): void;
}

interface NoticeEvents {
  onClick(): void;
  onAction(action: 'approve' | 'deny'): void;
}

export interface ShellPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Question {
  readonly message: string;
  readonly detail: string;
  readonly yes?: string;
}

export interface ElectronApi {
  readonly platform: Platform;
  readonly version: string;
  readonly packaged: boolean;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly locale: () => string;
  /** Directories of the app. `preload` and `server` are files. */
  readonly paths: {
    readonly userData: string;
    readonly logs: string;
    readonly preload: string;
    readonly server: string;
    readonly icons: string;
  };

  /** False in a second instance, which then quits; the first one gets its arguments, its program included. */
  lockInstance(onSecond: (argv: readonly string[], workingDirectory: string) => void): boolean;
  /** Links that macOS delivers, those before the app was ready included. */
  onOpenUrl(listener: (url: string) => void): void;
  /** Files that macOS opens with the app, those before the app was ready included. */
  onOpenFile(listener: (path: string) => void): void;
  onActivate(listener: () => void): void;
  onAllWindowsClosed(listener: () => void): void;
  /** The app is about to quit; it waits until the promise resolves. */
  onQuit(listener: () => Promise<void>): void;
  whenReady(): Promise<void>;
  quit(): void;
  /** Starts the app again with these arguments once this instance has ended. */
  relaunch(args: readonly string[]): void;

  openWindow(options: ReturnType<typeof makeWindowOptions>, events: WindowEvents): AppWindow;
  screens(): readonly Bounds[];
  /** Registers the session, its guards and the pages of the shell scheme. */
  guard(guards: Guards, shellPage: (url: string) => ShellPage | undefined): void;
  setCookie(cookie: { readonly url: string; readonly name: string; readonly value: string }): Promise<void>;
  handle(channel: string, listener: (sender: Sender, payload: unknown) => Promise<unknown>): void;

  readonly keychain: Keychain;
  readonly updater: (feed: { readonly url: string; readonly channel: string }) => Updater | undefined;
  openExternal(url: string): Promise<void>;
  /** Rejects with the reason of the system. */
  openPath(path: string): Promise<void>;
  /** Question with two buttons; true for the first. Without `yes` it is a message with one. */
  confirm(question: Question): Promise<boolean>;
  /** Paths; empty when the person cancels. At most one unless `several`. */
  pickFiles(extensions: readonly string[], options?: { readonly several: boolean }): Promise<readonly string[]>;
  pickTarget(name: string): Promise<string | undefined>;
  setTheme(mode: ThemeMode): void;

  /** Whether notifications can have buttons here. */
  readonly canAct: boolean;
  /** Returns a function that closes it. */
  notify(notice: ShownNotice, events: NoticeEvents): () => void;
  setBadge(count: number): void;
  setMenu(items: readonly MenuItem[], onCommand: OnMenuCommand): void;
  setTray(template: TrayTemplate, onCommand: OnMenuCommand): void;
  onPower(listener: (event: 'suspend' | 'resume') => void): void;
  registerProtocol(scheme: string): void;
}
