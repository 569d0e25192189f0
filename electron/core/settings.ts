// Settings of the app on this machine, in desktop.json: read once, written whole and at once. Preferences of the console live in the server.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { profileSchema, workLimitsSchema, type WorkLimits } from '@svc/shared/control';
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
    .max(50)
    .default([]),
  selectedProfile: z.string().nullable().default(null),
  /** Address of the update feed; null: updates are off. */
  updateUrl: z
    .url({ protocol: /^https?$/ })
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

/** Writes a file whole or not at all, also when the power fails. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

function atomicAdapter(path: string): SyncAdapter<unknown> {
  return {
    read: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : null),
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

export interface SettingsStore {
  readonly get: () => Settings;
  /** Written before it counts; throws when it cannot be. */
  update(changes: Partial<Settings>): void;
  /** Change by the app itself, such as the place of the window: kept for this run where the disk refuses it. */
  remember(changes: Partial<Settings>): void;
  /** Where an unreadable file was moved to. */
  readonly setAside: string | undefined;
}

export function openSettings(path: string): SettingsStore {
  const db = new LowSync<unknown>(atomicAdapter(path), {});
  let aside: string | undefined;
  let current: Settings;
  try {
    db.read();
    current = settingsSchema.parse(db.data ?? {});
  } catch {
    aside = setAside(path);
    current = settingsSchema.parse({});
  }
  const write = (next: Settings): Settings => {
    db.data = next;
    db.write();
    return next;
  };
  const changed = (changes: Partial<Settings>): Settings => settingsSchema.parse({ ...current, ...changes });
  return {
    get: () => current,
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
    setAside: aside,
  };
}
