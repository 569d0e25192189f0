// Live text of model calls as broadcasts between the worker that makes a call and the processes whose readers follow its run. Pure.
import { z } from 'zod';
import { BROADCAST_MAX_BYTES, type Broadcast } from '../../store/store.ts';

/** Place of a call in its run, in the words of the trace. */
const placeShape = z.object({
  request_id: z.string(),
  step_id: z.string(),
  attempt: z.number(),
  step: z.number(),
  branch_id: z.string(),
  agent: z.string(),
});

export type CallPlace = z.infer<typeof placeShape>;

/** A call is sent again under its own id after its worker was lost; `sentAt` (milliseconds) separates the sendings, and the latest counts. */
const textShape = z.object({ task: z.string(), sentAt: z.number(), call: placeShape, at: z.number(), text: z.string() });
const takenBackShape = z.object({ task: z.string(), sentAt: z.number(), call: placeShape, taken_back: z.literal(true) });
const liveShape = z.union([textShape, takenBackShape]);

/** A piece of a call's text that begins at offset `at` (UTF-16 units), or the withdrawal of all of it. */
export type LiveMessage = z.infer<typeof liveShape>;
export type TextMessage = z.infer<typeof textShape>;

const callShape = z.object({ follow: z.array(z.string()), whole: z.boolean() });

/** Readers follow these runs. `whole`: also send the text so far. */
export type FollowCall = z.infer<typeof callShape>;

/** Room for the frame of a message around its text. */
const TEXT_MAX_BYTES = BROADCAST_MAX_BYTES - 1_500;
/** A uid as JSON. */
const UIDS_PER_CALL = 100;

function parse<T>(shape: z.ZodType<T>, text: string): T | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Parses a message; undefined for another audience and for other text, because another program may use the same channel. */
export function readLive({ audience, text }: Broadcast): LiveMessage | undefined {
  return audience === 'readers' ? parse(liveShape, text) : undefined;
}

export function readFollowCall({ audience, text }: Broadcast): FollowCall | undefined {
  return audience === 'everybody' ? parse(callShape, text) : undefined;
}

export function withdrawalOf(message: Pick<TextMessage, 'task' | 'sentAt' | 'call'>): Broadcast {
  return { audience: 'readers', text: JSON.stringify({ ...message, taken_back: true }) };
}

/** As many messages as the text needs. */
export function textMessages({ text, at, ...rest }: TextMessage): Broadcast[] {
  const messages: Broadcast[] = [];
  for (let from = 0; from < text.length;) {
    const piece = fitting(text, from);
    messages.push({ audience: 'readers', text: JSON.stringify({ ...rest, at: at + from, text: piece }) });
    from += piece.length;
  }
  return messages;
}

/** The longest piece that surely fits, never ending in an unpaired surrogate. */
function fitting(text: string, from: number): string {
  for (let length = TEXT_MAX_BYTES; ; length = Math.floor(length / 2)) {
    let piece = text.slice(from, from + length);
    if (/[\ud800-\udbff]$/.test(piece) && piece.length > 1) piece = piece.slice(0, -1);
    if (Buffer.byteLength(JSON.stringify(piece)) <= TEXT_MAX_BYTES) return piece;
  }
}

export function followCalls(tasks: readonly string[], whole: boolean): Broadcast[] {
  const calls: Broadcast[] = [];
  for (let from = 0; from < tasks.length; from += UIDS_PER_CALL) {
    calls.push({ audience: 'everybody', text: JSON.stringify({ follow: tasks.slice(from, from + UIDS_PER_CALL), whole }) });
  }
  return calls;
}
