// Conversation before a turn, read from its earlier turns: a run refers to them, so that no run stores them again. Recorded answers never change.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { CONVERSATION_MAX_BYTES, CONVERSATION_MESSAGES_MAX } from '../engine/core/limits.ts';
import type { ConversationMessage, ConversationRef } from '../engine/core/snapshot.ts';
import { CallError } from '../engine/ports.ts';
import type { StoreReader } from '../store/store.ts';
import { listTurns, readChat, type TurnRecord } from './records.ts';

/** Bounds of what agents see: `spec.history` of a Session. */
export interface HistoryBounds {
  readonly max_turns?: number | undefined;
  readonly max_tokens?: number | undefined;
}

/** End of a conversation. */
export interface ConversationEnd {
  readonly uid: string;
  /** Its newest turn; 0: it has only the messages of a chat request. */
  readonly upTo: number;
}

export interface Conversation {
  readonly ref: ConversationRef;
  /** The oldest first. */
  readonly messages: readonly ConversationMessage[];
}

/** A turn with its answer, or one message of a chat request. */
interface Part {
  readonly messages: readonly ConversationMessage[];
  readonly bytes: number;
  readonly sha256: string;
}

interface TurnPart extends Part {
  /** Sequence of the turn before it; 0: none. */
  readonly parent: number;
}

const CHARACTERS_PER_TOKEN = 4;
/** Text that a process keeps, and what a turn takes besides its text. */
const KEPT_MAX_BYTES = 8 * 1024 * 1024;
const TURN_BYTES = 400;
/** Turns read at once: few at first, because a worker often has all but the newest. */
const PAGE_GROWTH = 4;
const PAGE_MAX = 64;

/** Conversations of one process. It keeps the turns that it read last. */
export class Conversations {
  readonly #turns = new LRUCache<string, TurnPart>({ maxSize: KEPT_MAX_BYTES, sizeCalculation: ({ bytes }) => bytes + TURN_BYTES });
  readonly #chats = new LRUCache<string, readonly Part[]>({
    maxSize: KEPT_MAX_BYTES,
    sizeCalculation: (parts) => sizeOf(parts) + TURN_BYTES,
  });

  /** The newest messages within the bounds; undefined when there are none. `turns` is the number of turns up to the end. */
  async newest(
    reader: StoreReader,
    end: ConversationEnd,
    { bounds, turns }: { readonly bounds: HistoryBounds; readonly turns: number },
  ): Promise<Conversation | undefined> {
    const { max_turns: maxTurns = Infinity, max_tokens: maxTokens = Infinity } = bounds;
    const tokenBytes = maxTokens * CHARACTERS_PER_TOKEN;
    const parts: Part[] = [];
    let room = Math.min(CONVERSATION_MAX_BYTES, tokenBytes);
    let count = 0;
    let bound: string | undefined;
    for await (const part of this.#back(reader, end)) {
      room -= part.bytes;
      count += part.messages.length;
      if (parts.length >= maxTurns) bound = `spec.history.max_turns is ${maxTurns}`;
      else if (count > CONVERSATION_MESSAGES_MAX) bound = `a run accepts ${CONVERSATION_MESSAGES_MAX} messages`;
      else if (room < 0)
        bound =
          tokenBytes < CONVERSATION_MAX_BYTES ? `spec.history.max_tokens is ${maxTokens}` : `a run accepts ${CONVERSATION_MAX_BYTES} bytes`;
      if (bound !== undefined) break;
      parts.push(part);
    }
    if (parts.length === 0 && bound === undefined) return undefined;
    const left = turns - parts.length;
    const what = left > 0 ? `${left} earlier ${left === 1 ? 'turn is' : 'turns are'}` : 'earlier messages are';
    const leftOut = bound === undefined ? {} : { leftOut: `${what} left out of the conversation: ${bound}` };
    return { ref: { upTo: end.upTo, parts: parts.length, sha256: hashOf(parts), ...leftOut }, messages: messagesOf(parts) };
  }

  /** Messages of a reference, the oldest first. Throws CallError when they are not those that it names. */
  async read(reader: StoreReader, uid: string, { upTo, parts: wanted, sha256 }: ConversationRef): Promise<readonly ConversationMessage[]> {
    const parts: Part[] = [];
    if (wanted > 0) for await (const part of this.#back(reader, { uid, upTo })) if (parts.push(part) === wanted) break;
    if (hashOf(parts) === sha256) return messagesOf(parts);
    throw new CallError('execution_failed', 'the recorded conversation is not the one that this run began with', { retryable: false });
  }

  /** Parts of the conversation, the newest first. Each turn names the one before it, so that turns that were undone are left out. */
  async *#back(reader: StoreReader, { uid, upTo }: ConversationEnd): AsyncGenerator<Part> {
    let page = 1;
    for (let sequence = upTo; sequence > 0;) {
      let part = this.#turns.get(keyOf(uid, sequence));
      if (!part) {
        part = await this.#readPage(reader, { uid, upTo: sequence }, page);
        page = Math.min(PAGE_MAX, page * PAGE_GROWTH);
      }
      if (!part) return;
      yield part;
      sequence = part.parent;
    }
    yield* await this.#chat(reader, uid);
  }

  /** Reads turns up to this one, which it returns. */
  async #readPage(reader: StoreReader, { uid, upTo }: ConversationEnd, limit: number): Promise<TurnPart | undefined> {
    const turns = await listTurns(reader, uid, { after: Math.max(0, upTo - limit), limit });
    let newest: TurnPart | undefined;
    for (const turn of turns) {
      // A turn without its answer is not part of any conversation yet.
      if (turn.sequence > upTo || turn.output === undefined) continue;
      const part = turnPart(turn);
      this.#turns.set(keyOf(uid, turn.sequence), part);
      if (turn.sequence === upTo) newest = part;
    }
    return newest;
  }

  /** Messages of the chat request that made the Session, the newest first. */
  async #chat(reader: StoreReader, uid: string): Promise<readonly Part[]> {
    const known = this.#chats.get(uid);
    if (known) return known;
    const chat = await readChat(reader, uid);
    const parts = (chat?.history ?? []).map((message) => partOf([message])).reverse();
    this.#chats.set(uid, parts);
    return parts;
  }
}

const keyOf = (uid: string, sequence: number): string => `${uid}/${sequence}`;
const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);
const messagesOf = (parts: readonly Part[]): ConversationMessage[] => parts.toReversed().flatMap(({ messages }) => messages);

function hashOf(parts: readonly Part[]): string {
  return createHash('sha256')
    .update(parts.map(({ sha256 }) => sha256).join())
    .digest('hex');
}

function turnPart({ content, output = '', parent = 0 }: TurnRecord): TurnPart {
  const answer = output === '' ? [] : [{ role: 'assistant', content: output } as const];
  return { ...partOf([{ role: 'user', content }, ...answer]), parent };
}

function partOf(messages: readonly ConversationMessage[]): Part {
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const sha256 = createHash('sha256')
    .update(JSON.stringify(messages.map(({ role, content }) => [role, content])))
    .digest('hex');
  return { messages, bytes, sha256 };
}
