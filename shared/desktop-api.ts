// Interface between the desktop app's main process and the pages in its window. Types for the renderer; the schemas check every call in main.
import { z } from 'zod';
import { FATALS, profileSchema, workLimitsSchema, type FatalCode, type ProfileTest, type WorkLimits } from './control.ts';

/** Version of the bridge that the preload exposes as `window.svcDesktop`. */
export const DESKTOP_API_VERSION = 1;

const fatalCodes = Object.keys(FATALS) as [FatalCode, ...FatalCode[]];
const platforms = ['darwin', 'linux', 'win32'] as const;

export const desktopInfoSchema = z.strictObject({
  version: z.string(),
  platform: z.enum(platforms),
  packaged: z.boolean(),
  dataDir: z.string(),
  logDir: z.string(),
  /** Where the key of Secret values is kept: `none` leaves them unencrypted. */
  keyStore: z.enum(['keychain', 'file', 'none']),
  safeMode: z.boolean(),
});
export type DesktopInfo = z.infer<typeof desktopInfoSchema>;

/** Work of the app on all data of the stopped server, which cannot be started meanwhile. */
const WORK_PHASES = ['copying', 'restoring', 'resetting'] as const;
const SERVER_PHASES = ['idle', 'starting', 'migrating', 'ready', 'draining', 'stopped', 'backoff', 'failed'] as const;
export const BACKEND_PHASES = [...SERVER_PHASES, ...WORK_PHASES] as const;

export const backendStateSchema = z.strictObject({
  phase: z.enum(BACKEND_PHASES),
  /** Address of the server while it is ready. */
  origin: z.string().nullable(),
  /** Starts since the last one that lasted. */
  attempt: z.number().int(),
  /** Progress of an upgrade of the data. */
  migration: z.strictObject({ step: z.number().int(), total: z.number().int() }).nullable(),
  /** Reason why the server is not running. */
  problem: z
    .strictObject({
      code: z.enum([...fatalCodes, 'CRASHED', 'SILENT', 'KEYCHAIN', 'NO_KEYCHAIN', 'SETTINGS']),
      message: z.string(),
      hint: z.string(),
    })
    .nullable(),
  /** Address of a server that owns the data directory, which the window can show instead. */
  attachable: z.string().nullable(),
  /** Last lines of the server's log while it is not running. */
  log: z.array(z.string()).max(50),
});
export type BackendState = z.infer<typeof backendStateSchema>;

/** `plaintext` accepts a key file where no keychain answers. */
export const restartModeSchema = z.enum(['normal', 'safe', 'attach', 'plaintext']);
export type RestartMode = z.infer<typeof restartModeSchema>;

export const fileKindSchema = z.enum(['manifests', 'bundle', 'backup']);
export type FileKind = z.infer<typeof fileKindSchema>;
export const pickedFilesSchema = z.array(z.strictObject({ name: z.string(), text: z.string() })).max(50);
export type PickedFile = z.infer<typeof pickedFilesSchema>[number];

export const profileDraftSchema = profileSchema.extend({ token: z.string().min(1).max(4_000).optional() });
export type ProfileDraft = z.infer<typeof profileDraftSchema>;
export const listedProfileSchema = profileSchema.extend({ hasToken: z.boolean(), selected: z.boolean() });
export type ListedProfile = z.infer<typeof listedProfileSchema>;

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
export const notificationPrefsSchema = z.strictObject({
  enabled: z.boolean(),
  /** Also while the window has the focus. */
  whenFocused: z.boolean(),
  /** Local times between which only urgent notices are shown; null: never. */
  quietHours: z.strictObject({ from: time, to: time }).nullable(),
  /** Keep server and tray running when the last window closes. */
  background: z.boolean(),
});
export type NotificationPrefs = z.infer<typeof notificationPrefsSchema>;

export const workStateSchema = z.strictObject({
  /** The person paused the work of this machine's server. */
  paused: z.boolean(),
  limits: workLimitsSchema,
});
export type WorkState = z.infer<typeof workStateSchema>;

export const updateStateSchema = z.strictObject({
  phase: z.enum(['off', 'idle', 'checking', 'available', 'downloading', 'ready', 'blocked', 'installing', 'failed']),
  version: z.string().nullable(),
  percent: z.number().min(0).max(100).nullable(),
  /** Reason of `blocked` and `failed`. */
  message: z.string().nullable(),
});
export type UpdateState = z.infer<typeof updateStateSchema>;

const segment = z.string().min(1).max(253);
export const deepLinkSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('open'), namespace: segment, kind: segment, name: segment }),
  z.strictObject({ type: z.literal('approval'), kind: z.enum(['ToolApproval', 'TaskApproval']), namespace: segment, name: segment }),
]);
export type DeepLink = z.infer<typeof deepLinkSchema>;

/** File that the system opened with the app: shown for review, never imported by itself. */
export interface OpenedBundle {
  readonly type: 'bundle';
  readonly name: string;
  readonly text: string;
}

export const themeSchema = z.enum(['light', 'dark', 'system']);
export type ThemeMode = z.infer<typeof themeSchema>;

type Unsubscribe = () => void;

/** Whole surface of the bridge. Every call rejects for a page that is not the app's own. */
export interface DesktopApi {
  readonly apiVersion: typeof DESKTOP_API_VERSION;
  readonly platform: (typeof platforms)[number];
  getInfo(): Promise<DesktopInfo>;
  getBackend(): Promise<BackendState>;
  onBackend(listener: (state: BackendState) => void): Unsubscribe;
  restartBackend(mode?: RestartMode): Promise<void>;
  openLogs(): Promise<void>;
  /** False when the address is refused or the person declines. */
  openExternal(url: string): Promise<boolean>;
  pickFiles(kind: FileKind): Promise<PickedFile[]>;
  /** False when the person cancels. */
  saveFile(name: string, bytes: Uint8Array): Promise<boolean>;
  readonly profiles: {
    list(): Promise<ListedProfile[]>;
    save(profile: ProfileDraft): Promise<void>;
    remove(id: string): Promise<void>;
    /** Null: the local server. */
    select(id: string | null): Promise<void>;
    test(profile: ProfileDraft): Promise<ProfileTest>;
  };
  readonly notifications: {
    getPrefs(): Promise<NotificationPrefs>;
    setPrefs(prefs: NotificationPrefs): Promise<void>;
  };
  readonly work: {
    get(): Promise<WorkState>;
    /** Running tasks are released at their next safe point; they and new ones wait until the pause ends. */
    pause(paused: boolean): Promise<void>;
    /** Restarts the server. */
    limit(limits: WorkLimits): Promise<void>;
  };
  onWork(listener: (state: WorkState) => void): Unsubscribe;
  readonly updates: {
    get(): Promise<UpdateState>;
    check(): Promise<UpdateState>;
    install(): Promise<UpdateState>;
  };
  onUpdate(listener: (state: UpdateState) => void): Unsubscribe;
  /** A link that arrived before is delivered at once. */
  onDeepLink(listener: (link: DeepLink | OpenedBundle) => void): Unsubscribe;
  setTheme(mode: ThemeMode): Promise<void>;
}
