// Reads a conversation from an untrusted file, and folds it. Loaded on demand, since it includes schemas.
import { TURN_PHASES, type SessionEvent, type Turn } from '@svc/shared/api/sessions';
import { isDeeperThan } from '@svc/shared/json';
import { NAME_PATTERN } from '@svc/shared/resource';
import { Conversation } from '@svc/shared/sessions/conversation';
import { z } from 'zod';
import { isMoment, openExport, readItems, readText, refuse } from '../../../ui/file/exported-file.ts';
import { CONVERSATION_FILE_FORMAT, CONVERSATION_FILE_VERSION, type ExportedSession } from './conversation-file.ts';

/** Beyond this size the page would not stay responsive. */
const FILE_MAX_BYTES = 128 * 1024 * 1024;
/** Length of one message, answer or output; the server allows less. */
const TEXT_MAX_CHARS = 1024 * 1024;
/** Number of tool calls, approvals and notices in one turn. */
const PARTS_MAX = 10_000;
/** Levels of a tool's input, which is drawn by recursion. */
const INPUT_LEVELS = 100;
const ID_MAX_CHARS = 300;

export interface OpenedConversation {
  /** RFC 3339. */
  readonly exportedAt: string;
  readonly session: ExportedSession;
  readonly conversation: Conversation;
}

const id = z.string().min(1).max(ID_MAX_CHARS);
const moment = z.string().max(100).refine(isMoment, 'is not a time');
const text = z.string().max(TEXT_MAX_CHARS);
const count = z.int().nonnegative();
const usage = z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count });

const session = z.object({
  namespace: z.string().regex(NAME_PATTERN),
  name: z.string().regex(NAME_PATTERN),
  system: z
    .string()
    .refine((ref) => ref.split('/').length <= 2 && ref.split('/').every((part) => NAME_PATTERN.test(part)), 'names no system'),
  phase: z.string().regex(/^[A-Za-z]{1,40}$/),
});

/** A newer server may add types of events and fields, which are kept unread. */
const event = z.looseObject({
  seq: z.int().positive(),
  type: z.string().max(100),
  turn_id: id.optional(),
  attempt: count.optional(),
  timestamp: moment,
  payload: z
    .looseObject({ usage: usage.nullish() })
    .refine(
      (payload) => Object.values(payload).every((value) => typeof value !== 'string' || value.length <= TEXT_MAX_CHARS),
      'is too long',
    )
    .refine((payload) => !isDeeperThan(payload, INPUT_LEVELS), 'is nested too deep'),
});

const turn = z.looseObject({
  id,
  queue_sequence: count,
  content: text,
  phase: z.enum(TURN_PHASES),
  attempt: count,
  created_at: moment,
  task_name: id.optional(),
  // Text in files of the first versions.
  output: z.union([z.looseObject({ last_output: text }), text.transform((last_output) => ({ last_output }))]).optional(),
  usage: usage.optional(),
  completed_at: moment.optional(),
  last_error: text.optional(),
});

function checked<Shape extends z.ZodType>(shape: Shape, value: unknown, what: string): z.infer<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return refuse(`${what} does not belong to a conversation: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

const listAt = (value: unknown, path: string): readonly unknown[] => (Array.isArray(value) ? value : refuse(`"${path}" should be a list.`));

/** Folds events into the conversation. What deltas add up to is bounded too. */
function folder(conversation: Conversation) {
  return (value: unknown, index: number): void => {
    const each = checked(event, value, `Event ${index + 1}`) as unknown as SessionEvent;
    if (each.seq <= conversation.lastSeq) refuse(`Event ${index + 1} is out of order: its number is ${each.seq}.`);
    conversation.apply(each);
    const changed = each.turn_id === undefined ? undefined : conversation.turn(each.turn_id);
    if (changed && (changed.text.length > TEXT_MAX_CHARS || changed.parts.length > PARTS_MAX))
      refuse(`Event ${index + 1} makes its turn larger than a turn can be.`);
  };
}

function turnReader() {
  const known = new Set<string>();
  return (value: unknown, index: number): Turn => {
    const each = checked(turn, value, `Turn ${index + 1}`) as unknown as Turn;
    if (known.has(each.id)) refuse(`Turn ${index + 1} has the id of another turn.`);
    known.add(each.id);
    return each;
  };
}

/** Rejects, with a sentence for the person, for any content that no export of this or an older version wrote. */
export async function readConversationFile(
  content: string,
  onProgress: (part: number) => void = () => undefined,
): Promise<OpenedConversation> {
  const file = openExport(content, { format: CONVERSATION_FILE_FORMAT, version: CONVERSATION_FILE_VERSION });
  const owner = checked(session, file['session'], 'The Session');
  const conversation = new Conversation();
  await readItems(listAt(file['events'], 'events'), folder(conversation), onProgress);
  conversation.addHistory(await readItems(listAt(file['turns'], 'turns'), turnReader(), () => undefined));
  return { exportedAt: file.exported_at, session: owner, conversation };
}

/** Reads a chosen file, in the same way. */
export async function readConversationBlob(file: Blob, onProgress: (part: number) => void): Promise<OpenedConversation> {
  return readConversationFile(await readText(file, FILE_MAX_BYTES), onProgress);
}
