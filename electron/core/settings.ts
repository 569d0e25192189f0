// Settings of the app on this machine, in desktop.json: read once, written whole and at once. Preferences of the console live in the server.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PROFILES_MAX, profileSchema, workLimitsSchema, type WorkLimits } from '@svc/shared/control';
import { notificationPrefsSchema, themeSchema } from '@svc/shared/desktop-api';
import { LowSync, type SyncAdapter } from 'lowdb';
import { z } from 'zod';

const bounds = z.strictObject({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
});

const limits = workLimitsSchema.shape;

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const settingsSchema = z.object({
  version: z.literal(1).default(1),
  /** Port of the last start, tried first by the next one: storage of the page is bound to it. */
  port: z.number().int().min(0).max(65_535).default(0),
  window: z.strictObject({ bounds: bounds.nullable(), maximized: z.boolean() }).default({ bounds: null, maximized: false }),
  theme: themeSchema.default('system'),
  notifications: notificationPrefsSchema.default({ enabled: true, whenFocused: false, quietHours: null, background: false }),
  /** Key of Secret values, sealed by the keychain, base64. */
  sealedKey: z.string().nullable().default(null),
  /** Whether the person accepted a key file, where no keychain answers. */
  plaintextKey: z.boolean().default(false),
  profiles: z
    .array(profileSchema.extend({ sealedToken: z.string().nullable() }))
    .max(PROFILES_MAX)
    .default([]),
  selectedProfile: z.string().nullable().default(null),
  /** Address of the update feed; null: updates are off. Its answer decides what is installed: without TLS only from loopback. */
  updateUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || (URL.canParse(url) && LOOPBACK.has(new URL(url).hostname)), 'must be an https address')
    .nullable()
    .default(null),
  updateChannel: z.enum(['stable', 'beta']).default('stable'),
  maxConcurrentTasks: limits.maxConcurrentTasks.default(null),
  containerMemoryMiB: limits.containerMemoryMiB.default(null),
  containerCpus: limits.containerCpus.default(null),
});
export type Settings = z.infer<typeof settingsSchema>;

export const workLimitsOf = ({ maxConcurrentTasks, containerMemoryMiB, containerCpus }: Settings): WorkLimits => ({
  maxConcurrentTasks,
  containerMemoryMiB,
  containerCpus,
});

/** Writes a file of the user's own whole or not at all, even when the power fails. */
export function writeAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    // One write of the system may store only a part of the text, as on a disk that is almost full.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

function atomicAdapter(path: string): SyncAdapter<unknown> {
  return {
    read: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : {}),
    write: (data) => writeAtomically(path, `${JSON.stringify(data, null, 2)}\n`),
  };
}

/** A free name for a file that cannot be read, which is kept for its owner; undefined where the disk refuses that too. */
function setAside(path: string): string | undefined {
  let attempt = 1;
  while (existsSync(`${path}.unreadable-${attempt}`)) attempt += 1;
  const aside = `${path}.unreadable-${attempt}`;
  try {
    renameSync(path, aside);
    return aside;
  } catch {
    return undefined;
  }
}

type Field = keyof Settings;

interface SalvagedSettings {
  readonly settings: Settings;
  /** Values as they are in the file, of fields that have their defaults instead. */
  readonly refused: Readonly<Record<string, unknown>>;
}

/** Settings field by field: a wrong value costs its own field only. Throws where that is the key: a new one would open no Secret. */
function salvage(data: unknown): SalvagedSettings {
  const fields = z.record(z.string(), z.unknown()).safeParse(data);
  if (!fields.success) throw new Error('it is not a JSON object');
  const { shape } = settingsSchema;
  const isRefused = ([name, value]: [string, unknown]): boolean => name in shape && !shape[name as Field].safeParse(value).success;
  const refused = Object.entries(fields.data).filter(isRefused);
  if (refused.some(([name]) => name === 'sealedKey')) throw new Error('"sealedKey" is not a string');
  const others = Object.entries(fields.data).filter((field) => !isRefused(field));
  return { settings: settingsSchema.parse(Object.fromEntries(others)), refused: Object.fromEntries(refused) };
}

/** Never the text of the file: parts of it are secret. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is no valid JSON';
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

export interface SettingsStore {
  readonly get: () => Settings;
  /** Written before it counts; throws when it cannot be. */
  update(changes: Partial<Settings>): void;
  /** Change by the app itself, such as the place of the window: kept for this run where the disk refuses it. */
  remember(changes: Partial<Settings>): void;
  /** Path of a file that cannot be read, with the reason. Each call tries again; until then nothing is written. */
  unreadable(): string | undefined;
  /** Fields whose values are wrong. They have their defaults, and the file keeps the values until these fields are changed. */
  readonly refused: () => readonly string[];
  /** Where an unreadable file was moved to. */
  readonly setAside: string | undefined;
}

/** An unreadable file is set aside, or with `keepUnreadable` left in its place, where data exists whose key may be in it. */
export function openSettings(path: string, { keepUnreadable = false } = {}): SettingsStore {
  const db = new LowSync<unknown>(atomicAdapter(path), {});
  let current: SalvagedSettings = salvage({});
  const read = (): string | undefined => {
    try {
      db.read();
      current = salvage(db.data);
      return undefined;
    } catch (error) {
      return `${path} (${reasonOf(error)})`;
    }
  };
  let problem = read();
  let aside: string | undefined;
  if (problem !== undefined && !keepUnreadable) {
    aside = setAside(path);
    problem = undefined;
  }
  const changed = (changes: Partial<Settings>): SalvagedSettings => ({
    settings: settingsSchema.parse({ ...current.settings, ...changes }),
    refused: Object.fromEntries(Object.entries(current.refused).filter(([name]) => !(name in changes))),
  });
  const write = (next: SalvagedSettings): SalvagedSettings => {
    if (problem !== undefined) throw new Error(`The settings cannot be read, so they are not written: ${problem}`);
    db.data = { ...next.settings, ...next.refused };
    db.write();
    return next;
  };
  return {
    get: () => current.settings,
    update(changes) {
      current = write(changed(changes));
    },
    remember(changes) {
      current = changed(changes);
      try {
        write(current);
      } catch {
        // The next change that a person makes reports it.
      }
    },
    unreadable() {
      if (problem !== undefined) problem = read();
      return problem;
    },
    refused: () => Object.keys(current.refused),
    setAside: aside,
  };
}
