// The machine around the page: the desktop app where its bridge is, else the browser. Other folders call this and never read the user agent.
import { DESKTOP_API_VERSION } from './api-version.ts';
import type { DesktopApi } from '@svc/shared/desktop-api';
import { downloadFile, openTab } from './browser.ts';

export interface Native {
  /** Bridge of the desktop app; undefined in a browser, and in an app of another version of the bridge. */
  readonly desktop: DesktopApi | undefined;
  /** False for an address of http in the desktop app, which hands only https and mail to other programs. */
  canOpenOutside(url: string): boolean;
  /** Opens an address outside of the console. The person has confirmed it. */
  openOutside(url: string): void;
  /** Hands a text to the person as a file. */
  saveText(name: string, content: string, type: string): void;
}

/** Files above this are saved by the download of the page: calls of the bridge are bounded. */
const BRIDGE_BYTES_MAX = 1_000_000;

function desktopOf(host: { readonly svcDesktop?: unknown }): DesktopApi | undefined {
  const api = host.svcDesktop as DesktopApi | undefined;
  return api?.apiVersion === DESKTOP_API_VERSION ? api : undefined;
}

export function createNative(host: { readonly svcDesktop?: unknown }): Native {
  const desktop = desktopOf(host);
  return {
    desktop,
    canOpenOutside: (url) => desktop === undefined || !url.startsWith('http:'),
    openOutside(url) {
      if (desktop) void desktop.openExternal(url);
      else openTab(url);
    },
    saveText(name, content, type) {
      const bytes = desktop && new TextEncoder().encode(content);
      if (bytes && bytes.byteLength <= BRIDGE_BYTES_MAX) void desktop.saveFile(name, bytes);
      else downloadFile(name, content, type);
    },
  };
}

export const native = createNative(globalThis as { readonly svcDesktop?: unknown });
