// Messages between the desktop app's main process and the server that it supervises. Both sides parse every message; secrets travel here and nowhere else.
import { z } from 'zod';
import { PROVIDER_KEY_MAX, PROVIDER_VARIABLES } from './environment-keys.ts';

/** Version of this protocol. The server reports its own in `hello`; main refuses to supervise another one. */
export const CONTROL_PROTOCOL = 1;

/** Exit codes after which a supervisor must not restart the server: nothing changes by itself. */
export const EXIT_LOCKED = 77;
export const EXIT_CONFIG = 78;
const EXIT_FAILED = 1;

/** Reasons why a server does not start: the exit code of the process, and what a person can do. */
export const FATALS = {
  LOCKED: { exitCode: EXIT_LOCKED, hint: 'Attach to the server that runs already, or stop it and restart.' },
  SCHEMA_TOO_NEW: { exitCode: EXIT_CONFIG, hint: 'Install the newer version of the app, or restore the backup made before its upgrade.' },
  FOREIGN_DATA: { exitCode: EXIT_CONFIG, hint: 'Choose another data directory: this one holds data of another program.' },
  DAMAGED: { exitCode: EXIT_CONFIG, hint: 'Restore the data directory from a backup, or move it away and restart.' },
  UNWRITABLE: { exitCode: EXIT_CONFIG, hint: 'Check that the data directory exists and that your user may write to it.' },
  OTHER_KEY: {
    exitCode: EXIT_CONFIG,
    hint: 'Unlock the keychain that holds the key of this data directory, or restore the key from a backup.',
  },
  BAD_CONFIG: { exitCode: EXIT_CONFIG, hint: 'Correct the setting that the message names.' },
  BAD_BOOTSTRAP: { exitCode: EXIT_CONFIG, hint: 'Install the app again: its parts are of different versions.' },
  DISK_FULL: { exitCode: EXIT_FAILED, hint: 'Free some space on the disk that holds the data directory.' },
  IO_ERROR: { exitCode: EXIT_FAILED, hint: 'Check the disk that holds the data directory, or whether its mount still answers.' },
  START_FAILED: { exitCode: EXIT_FAILED, hint: 'Read the log of the server for the cause.' },
} as const satisfies Record<string, { readonly exitCode: number; readonly hint: string }>;

export type FatalCode = keyof typeof FATALS;
const fatalCodes = Object.keys(FATALS) as [FatalCode, ...FatalCode[]];

const TEXT_MAX = 4_000;
const text = z.string().max(TEXT_MAX);
const nonce = z.string().regex(/^[A-Za-z0-9_-]{16,64}$/, 'must be 16 to 64 characters of base64url');
const name = z.string().min(1).max(253);
const durationMs = z.number().int().min(0).max(3_600_000);

export const approvalRefSchema = z.strictObject({ kind: z.enum(['ToolApproval', 'TaskApproval']), namespace: name, name });

/** Server that the window can show besides the local one. Its token comes by `profile-secret`. */
export const profileSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
  name: z.string().min(1).max(100),
  origin: z.url({ protocol: /^https?$/ }).max(500),
  /** SHA-256 of the certificate, hex, where the profile pins it. */
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type Profile = z.infer<typeof profileSchema>;

export const profileTestSchema = z.strictObject({
  ok: z.boolean(),
  /** `foreign`: another program answers; `incompatible`: a version that the console of this one does not show; `untrusted`: its certificate or address is refused. */
  state: z.enum(['ready', 'unreachable', 'refused', 'incompatible', 'foreign', 'untrusted']),
  version: z.string().max(64).nullable(),
  message: text,
});
export type ProfileTest = z.infer<typeof profileTestSchema>;

/** Servers besides the one of the machine. */
export const PROFILES_MAX = 50;
const profiles = z.array(profileSchema).max(PROFILES_MAX);

/** Limits of the work on this machine; null: the default of the server. */
export const workLimitsSchema = z.strictObject({
  /** Tasks that run at once. */
  maxConcurrentTasks: z.number().int().min(1).max(256).nullable(),
  /** Memory of one container of a tool. */
  containerMemoryMiB: z.number().int().min(16).max(1_048_576).nullable(),
  /** Processors of one container of a tool, in steps of a hundredth. */
  containerCpus: z.number().min(0.1).max(256).multipleOf(0.01).nullable(),
});
export type WorkLimits = z.infer<typeof workLimitsSchema>;
export const NO_WORK_LIMITS: WorkLimits = { maxConcurrentTasks: null, containerMemoryMiB: null, containerCpus: null };

const bootstrap = z.strictObject({
  type: z.literal('bootstrap'),
  protocol: z.literal(CONTROL_PROTOCOL),
  dataDir: z.string().min(1).max(TEXT_MAX),
  logDir: z.string().min(1).max(TEXT_MAX),
  /** Tried first; a free one is taken where another program has it. 0: any. */
  preferredPort: z.number().int().min(0).max(65_535),
  /** Key that encrypts Secret values, 64 hex characters; null: they are stored unencrypted. */
  kek: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Secret that cookies of the window derive from, 32 random bytes as base64url; the same for every start of the server within one run of the app. A cookie counts at the port that it was made for. */
  launchSecret: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  locale: z.string().max(40),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
  profiles,
  /** Start without a worker and without schedules, to find out why the server fails. */
  safeMode: z.boolean().default(false),
  /** Variables with keys of model providers that the person's environment has: their names only. */
  environmentKeys: z.array(z.enum(PROVIDER_VARIABLES)).max(PROVIDER_VARIABLES.length).default([]),
  limits: workLimitsSchema.default(NO_WORK_LIMITS),
});
export type Bootstrap = z.infer<typeof bootstrap>;

const toServer = z.discriminatedUnion('type', [
  bootstrap,
  z.strictObject({ type: z.literal('mint-ui-session'), nonce }),
  /** Replaces all profiles; a token stays with an unchanged address only. */
  z.strictObject({ type: z.literal('profiles'), profiles }),
  z.strictObject({ type: z.literal('profile-test'), nonce, profile: profileSchema, token: z.string().max(TEXT_MAX).optional() }),
  z.strictObject({ type: z.literal('profile-secret'), id: profileSchema.shape.id, token: z.string().max(TEXT_MAX) }),
  z.strictObject({
    type: z.literal('decide'),
    /** Server of the approval; absent: this one. */
    profile: profileSchema.shape.id.optional(),
    approvalRef: approvalRefSchema,
    decision: z.enum(['approved', 'denied']),
    comment: text.optional(),
  }),
  /** Gives running tasks back at their safe points and claims none, until it is lifted. */
  z.strictObject({ type: z.literal('pause'), paused: z.boolean() }),
  /** The answer to `environment-key-request`; null: it is set no longer. */
  z.strictObject({ type: z.literal('environment-key'), nonce, value: z.string().max(PROVIDER_KEY_MAX).nullable() }),
  z.strictObject({ type: z.literal('power'), event: z.enum(['suspend', 'resume']) }),
  z.strictObject({ type: z.literal('drain'), deadlineMs: durationMs }),
  z.strictObject({ type: z.literal('shutdown'), graceMs: durationMs }),
]);
export type ToServer = z.infer<typeof toServer>;

export const noticeSchema = z.strictObject({
  /** One for each question: a later message with the same id replaces it. */
  id: z.string().min(1).max(700),
  title: z.string().min(1).max(200),
  body: z.string().max(500),
  /** Deep link, `svc://approvals/tool/<namespace>/<name>`. */
  link: z.string().startsWith('svc://').max(700),
  /** Empty where a decision needs more than a notification shows. */
  actions: z.array(z.enum(['approve', 'deny'])).max(2),
  /** RFC 3339; null: it does not expire. */
  expiresAt: z.string().nullable(),
  urgency: z.enum(['low', 'normal', 'critical']),
  /** Requesting server; absent: the local one. */
  profile: profileSchema.shape.id.optional(),
});
export type Notice = z.infer<typeof noticeSchema>;

const count = z.number().int().min(0);

const fromServer = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello'), version: z.string(), protocol: z.number().int(), pid: z.number().int() }),
  z.strictObject({ type: z.literal('migrating'), from: count, to: count, step: count, total: count }),
  /** The window shows this address, with the bridge: it is one of this machine, without a path. */
  z.strictObject({ type: z.literal('ready'), origin: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/) }),
  z.strictObject({ type: z.literal('fatal'), code: z.enum(fatalCodes), message: text, hint: text }),
  z.strictObject({ type: z.literal('ui-session'), nonce, cookie: z.strictObject({ name: z.string(), value: z.string() }) }),
  z.strictObject({ type: z.literal('profile-tested'), nonce, result: profileTestSchema }),
  z.strictObject({ type: z.literal('notify'), ...noticeSchema.shape }),
  z.strictObject({ type: z.literal('notify-cancel'), id: noticeSchema.shape.id, profile: noticeSchema.shape.profile }),
  z.strictObject({
    type: z.literal('decided'),
    approvalRef: approvalRefSchema,
    ok: z.boolean(),
    message: text,
    profile: noticeSchema.shape.profile,
  }),
  z.strictObject({ type: z.literal('badge'), count, profile: noticeSchema.shape.profile }),
  z.strictObject({ type: z.literal('busy'), runningTasks: count }),
  z.strictObject({ type: z.literal('paused'), paused: z.boolean() }),
  /** A person agreed to the use of this variable. */
  z.strictObject({ type: z.literal('environment-key-request'), nonce, variable: z.enum(PROVIDER_VARIABLES) }),
  z.strictObject({ type: z.literal('drained'), complete: z.boolean() }),
  /** Secret values of this data directory are stored unencrypted: main may offer a key for the next start. */
  z.strictObject({ type: z.literal('seal-kek-request') }),
]);
export type FromServer = z.infer<typeof fromServer>;

/** A message, or the reason why it is invalid; the reason quotes no value. */
export type Parsed<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly problem: string };

function parse<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, message: result.data };
  const problem = result.error.issues.map(({ path, code }) => `${path.join('.') || 'type'}: ${code}`).join(', ');
  return { ok: false, problem };
}

export const parseToServer = (value: unknown): Parsed<ToServer> => parse(toServer, value);
export const parseFromServer = (value: unknown): Parsed<FromServer> => parse(fromServer, value);

/** Content of `runtime.json` in a data directory, readable by its owner only, while a server owns the directory. */
export const runtimeSchema = z.object({
  pid: z.number().int(),
  origin: z.url(),
  /** Distinguishes this start from every other, including those with the same process id. */
  bootNonce: z.string(),
  version: z.string(),
});
export type Runtime = z.infer<typeof runtimeSchema>;
export const RUNTIME_FILE = 'runtime.json';

/** Name of the cookie that signs the window in. */
export const UI_COOKIE = 'svc_ui';
