// Messages in the form of the Messages protocol: turns that alternate, tool results before text, nothing empty. Pure.
import { createHash } from 'node:crypto';
import { isObject, objectsIn, type JsonObject } from '@svc/shared/json';
import type { AssistantMessage, ChatMessage } from '../../engine/ports.ts';
import { argumentsObject } from '../tool-arguments.ts';
import type { ToolNames } from '../tool-names.ts';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
}

export interface TurnContext {
  readonly names: ToolNames;
  /** State that goes back with a message. */
  readonly stateOf: (message: ChatMessage) => Readonly<Record<string, unknown>>;
}

/** Replaces the missing message before a first answer. */
const CONTINUED = '(Earlier messages of this conversation are left out.)';

/** All system messages as one prompt; undefined when they say nothing. */
export function systemPrompt(messages: readonly ChatMessage[]): string | undefined {
  const texts = messages.filter(({ role, content }) => role === 'system' && content !== '').map(({ content }) => content);
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}

/** Neighbours of one role become one turn; results of tools come first in it, as the protocol demands. */
export function turns(messages: readonly ChatMessage[], { names, stateOf }: TurnContext): Turn[] {
  const merged: Turn[] = [];
  for (const turn of messages.flatMap((message) => turnOf(message, { names, stateOf }))) {
    const last = merged.at(-1);
    if (last?.role === turn.role) merged[merged.length - 1] = { role: turn.role, content: [...last.content, ...turn.content] };
    else merged.push(turn);
  }
  // The protocol requires a user message first; a conversation may have been cut before an answer.
  if (merged[0]?.role === 'assistant') merged.unshift({ role: 'user', content: [{ type: 'text', text: CONTINUED }] });
  return merged.map(({ role, content }) => ({
    role,
    content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))],
  }));
}

const isResult = (block: JsonObject) => block['type'] === 'tool_result';

/** Empty texts are refused, so a message that has nothing else is left out. */
function turnOf(message: ChatMessage, { names, stateOf }: TurnContext): Turn[] {
  if (message.role === 'system') return [];
  if (message.role === 'assistant') return turnWith('assistant', answerBlocks(message, callBlocks(message, names), stateOf(message)));
  return turnWith('user', message.role === 'tool' ? [resultBlock(message)] : textBlocks(message.content));
}

const turnWith = (role: Turn['role'], content: readonly JsonObject[]): Turn[] => (content.length === 0 ? [] : [{ role, content }]);

/** Blocks of an answer; where it had thinking, all in the order in which they came: the protocol refuses another one. */
function answerBlocks({ content }: AssistantMessage, calls: readonly JsonObject[], { parts }: Readonly<Record<string, unknown>>) {
  let at = 0;
  const blocks = objectsIn(parts).flatMap(({ thinking, call, text }): JsonObject[] => {
    if (isObject(thinking)) return [thinking as JsonObject];
    if (typeof call === 'number') return calls.slice(call, call + 1);
    return typeof text === 'number' ? textBlocks(content.slice(at, (at += text))) : [];
  });
  return blocks.length > 0 ? blocks : [...textBlocks(content), ...calls];
}

/** Text of only white space is refused like an empty one. */
function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function callBlocks({ toolCalls = [] }: AssistantMessage, names: ToolNames): JsonObject[] {
  return toolCalls.map(({ id, name, arguments: input }) => ({
    type: 'tool_use',
    id: safeId(id),
    name: names.toProvider(name),
    input: argumentsObject(input),
  }));
}

function resultBlock({ toolCallId, content, isError }: Extract<ChatMessage, { role: 'tool' }>): JsonObject {
  return { type: 'tool_result', tool_use_id: safeId(toolCallId), content, ...(isError === true && { is_error: true }) };
}

/** Ids that another provider made up may have characters that this one refuses. */
function safeId(id: string): string {
  return /^[a-zA-Z0-9_-]+$/.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}
