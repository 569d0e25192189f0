// Calls from pages to main: one table of channels, each with its pages and the shapes of input and output, and one check of every call.
import {
  backendStateSchema,
  desktopInfoSchema,
  fileKindSchema,
  listedProfileSchema,
  notificationPrefsSchema,
  pickedFilesSchema,
  profileDraftSchema,
  restartModeSchema,
  themeSchema,
  updateStateSchema,
  workStateSchema,
} from '@svc/shared/desktop-api';
import { profileTestSchema, workLimitsSchema } from '@svc/shared/control';
import { z } from 'zod';
import { senderPage, type Sender } from './security.ts';

/** Bytes of one call, strings counted by their length. */
const CALL_BYTES_MAX = 1024 * 1024;
const VALUES_MAX = 10_000;

const none = z.undefined();
const both = ['app', 'boot'] as const;
const app = ['app'] as const;
const text = z.string().max(4_096);
const id = z.string().min(1).max(63);

function channel<Input extends z.ZodType, Output extends z.ZodType>(pages: readonly ('app' | 'boot')[], input: Input, output: Output) {
  return { pages, input, output };
}

/** Every channel. The preload calls these and no others. */
export const CHANNELS = {
  'svc:get-info': channel(both, none, desktopInfoSchema),
  'svc:get-backend': channel(both, none, backendStateSchema),
  'svc:restart-backend': channel(both, restartModeSchema.default('normal'), none),
  'svc:open-logs': channel(both, none, none),
  'svc:open-external': channel(app, text, z.boolean()),
  'svc:pick-files': channel(app, fileKindSchema, pickedFilesSchema),
  'svc:save-file': channel(app, z.tuple([z.string().min(1).max(200), z.instanceof(Uint8Array)]), z.boolean()),
  'svc:profiles-list': channel(app, none, z.array(listedProfileSchema)),
  'svc:profiles-save': channel(app, profileDraftSchema, none),
  'svc:profiles-remove': channel(app, id, none),
  'svc:profiles-select': channel(app, id.nullable(), none),
  'svc:profiles-test': channel(app, profileDraftSchema, profileTestSchema),
  'svc:notifications-get': channel(app, none, notificationPrefsSchema),
  'svc:notifications-set': channel(app, notificationPrefsSchema, none),
  'svc:work-get': channel(app, none, workStateSchema),
  'svc:work-pause': channel(app, z.boolean(), none),
  'svc:work-limit': channel(app, workLimitsSchema, none),
  'svc:updates-get': channel(both, none, updateStateSchema),
  'svc:updates-check': channel(app, none, updateStateSchema),
  'svc:updates-install': channel(both, none, updateStateSchema),
  'svc:deep-link-listen': channel(app, none, none),
  'svc:set-theme': channel(both, themeSchema, none),
} as const;

export type ChannelName = keyof typeof CHANNELS;
type InputOf<Name extends ChannelName> = z.output<(typeof CHANNELS)[Name]['input']>;
type OutputOf<Name extends ChannelName> = z.input<(typeof CHANNELS)[Name]['output']>;
export type Handlers = { readonly [Name in ChannelName]: (input: InputOf<Name>) => Promise<OutputOf<Name>> | OutputOf<Name> };

/** Refusal of a call; its message is shown to the page. */
class IpcRefused extends Error {
  override readonly name = 'IpcRefused';
}

/** Size of a payload, or more than the limit. Structured clones can hold cycles: the number of values is bounded too. */
function sizeOf(payload: unknown): number {
  let size = 0;
  let values = 0;
  const open: unknown[] = [payload];
  while (open.length > 0 && size <= CALL_BYTES_MAX) {
    values += 1;
    if (values > VALUES_MAX) return CALL_BYTES_MAX + 1;
    const value = open.pop();
    // Entries of these are not read: there may be more than memory holds.
    if ((Array.isArray(value) || value instanceof String) && value.length > VALUES_MAX) return CALL_BYTES_MAX + 1;
    if (typeof value === 'string') size += value.length;
    else if (ArrayBuffer.isView(value)) size += value.byteLength;
    else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) {
        size += key.length;
        open.push(each);
      }
    }
  }
  return size;
}

export interface Call {
  readonly name: ChannelName;
  readonly sender: Sender;
  readonly payload: unknown;
}

/** Outcome of a call as the preload gets it: Electron puts words of its own before the message of an error that crosses. */
export type Reply = { readonly value: unknown } | { readonly error: string };

export async function replyTo(answer: Promise<unknown>): Promise<Reply> {
  try {
    return { value: await answer };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Checks sender, size and shape, then runs the handler. Rejects with IpcRefused; errors of handlers pass. */
export async function answerCall(handlers: Handlers, call: Call, origin: string | null): Promise<unknown> {
  const { name, sender, payload } = call;
  const { pages, input, output } = CHANNELS[name];
  const page = senderPage(sender, origin);
  if (page === undefined || !pages.includes(page)) throw new IpcRefused(`${name}: only the app's own page may call this`);
  if (sizeOf(payload) > CALL_BYTES_MAX) throw new IpcRefused(`${name}: the call is larger than 1 MB`);
  const parsed = input.safeParse(payload);
  if (!parsed.success)
    throw new IpcRefused(`${name}: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ')}`);
  const handle = handlers[name] as (value: unknown) => unknown;
  return output.parse(await handle(parsed.data));
}
