// The window: its options, its place on the screens, what its address shows, and how often its page may be loaded again after a crash. Pure.

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface WindowState {
  readonly bounds: Bounds | null;
  readonly maximized: boolean;
}

/** Partition of the window's session: cookies and storage apart from everything else on the machine. */
export const PARTITION = 'persist:svc';
const SIZE = { width: 1440, height: 900 };
const SIZE_MIN = { width: 800, height: 560 };
/** Part of a window that must lie on a screen for it to be found again. */
const VISIBLE_MIN = 120;

export interface WindowOptions {
  readonly preload: string;
  readonly bounds: Partial<Bounds>;
  readonly backgroundColor: string;
}

/** Options of every window of the app. The settings of safety are written here only; a check of the build reads them. */
export function makeWindowOptions({ preload, bounds, backgroundColor }: WindowOptions) {
  return {
    ...SIZE,
    ...bounds,
    minWidth: SIZE_MIN.width,
    minHeight: SIZE_MIN.height,
    show: false,
    backgroundColor,
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      partition: PARTITION,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webviewTag: false,
      // Elsewhere Chromium would download dictionaries.
      spellcheck: process.platform === 'darwin',
    },
  };
}

type Span = readonly [from: number, length: number];

const overlap = ([from, length]: Span, [otherFrom, otherLength]: Span): number =>
  Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom);

/** Bounds for a window: the saved ones where a screen still shows enough of them, or no screen is attached; else no place, which centres it. */
export function restoreBounds({ bounds }: WindowState, screens: readonly Bounds[]): Partial<Bounds> {
  if (bounds === null) return {};
  if (screens.length === 0) return bounds;
  const width = Math.max(SIZE_MIN.width, Math.min(bounds.width, Math.max(...screens.map((screen) => screen.width))));
  const height = Math.max(SIZE_MIN.height, Math.min(bounds.height, Math.max(...screens.map((screen) => screen.height))));
  const isVisible = screens.some(
    (screen) =>
      overlap([bounds.x, width], [screen.x, screen.width]) >= VISIBLE_MIN &&
      overlap([bounds.y, height], [screen.y, screen.height]) >= VISIBLE_MIN &&
      bounds.y >= screen.y,
  );
  return isVisible ? { x: bounds.x, y: bounds.y, width, height } : { width, height };
}

const RELOADS_MAX = 3;
const RELOADS_WINDOW_MS = 60_000;

/** Whether a page whose process crashed is loaded again; `reloads` are the times of earlier ones. */
export function planReload(reloads: readonly number[], now: number): { readonly reload: boolean; readonly reloads: readonly number[] } {
  const recent = reloads.filter((at) => now - at < RELOADS_WINDOW_MS);
  return recent.length < RELOADS_MAX ? { reload: true, reloads: [...recent, now] } : { reload: false, reloads: recent };
}

/** Page to show on a server whose first page is at `home`: the one that was `left`, path with query, unless it belongs to another server. */
export function pageToReturn(left: string | null, home: string): string {
  if (left === null) return home;
  const isLocal = !left.startsWith('/p/');
  return (home === '/' ? isLocal : left.startsWith(home)) ? left : home;
}

/** Whether an address of the console opens an approval: in the inbox, on a page of its own, or in the inspector. */
export function opensApproval(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { pathname, searchParams } = new URL(url);
  return (
    (pathname.endsWith('/inbox') && searchParams.has('item')) ||
    /\/(tool|task)-approvals\/./.test(pathname) ||
    /^(Tool|Task)Approval\//.test(searchParams.get('peek') ?? '')
  );
}
