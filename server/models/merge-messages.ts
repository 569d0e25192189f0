// Messages for providers whose models expect one system message and roles that alternate. Pure.
import type { ChatMessage } from '../engine/ports.ts';

type Text = Extract<ChatMessage, { role: 'system' | 'user' }> | { readonly role: 'assistant'; readonly content: string };

const isText = (message: ChatMessage): message is Text => message.role !== 'tool' && !('toolCalls' in message && message.toolCalls?.length);

/**
 * System messages become the first one; neighbours of one role become one message, their texts with a blank line between them. Tool calls and
 * results stay as they are, and so does every conversation in which there is nothing to merge.
 */
export function mergeMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const rest = messages.filter(({ role }) => role !== 'system');
  const merged: ChatMessage[] = [];
  for (const message of [...system, ...rest]) {
    const last = merged.at(-1);
    if (last?.role === message.role && isText(last) && isText(message))
      merged[merged.length - 1] = { ...last, content: joined(last.content, message.content) };
    else merged.push(message);
  }
  return merged;
}

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');
