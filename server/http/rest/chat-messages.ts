// Messages of a chat request as a conversation of texts. Tools of the client are unknown to the agents: their results become data in a message of the user.
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { ConversationMessage } from '../../engine/core/snapshot.ts';

const ROLES: Readonly<Record<string, ConversationMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

type Fields = Readonly<Record<string, unknown>>;

/** Calls of the client's tools by id; arguments are JSON that the client's model wrote. */
type Calls = Map<unknown, { readonly tool: unknown; readonly arguments: unknown }>;

export const invalid = (path: string, message: string): ServiceError =>
  new ServiceError('invalid', `${path} ${message}`, { details: [{ path, message }] });

/** Splits off the last message, which must be the user's. Throws ServiceError `invalid`. */
export function readConversation(messages: readonly unknown[]): { readonly history: ConversationMessage[]; readonly content: string } {
  const calls: Calls = new Map();
  const history = messages.flatMap((message, index) => readMessage(message, `messages[${index}]`, calls));
  const last = messages.at(-1);
  const turn = history.pop();
  if (!isObject(last) || last['role'] !== 'user' || turn === undefined || turn.content.trim() === '')
    throw invalid(`messages[${messages.length - 1}]`, 'must be a message of the user with text');
  return { history, content: turn.content };
}

function readMessage(message: unknown, path: string, calls: Calls): ConversationMessage[] {
  if (!isObject(message)) throw invalid(path, 'must be an object');
  const name = message['role'];
  if (name === 'tool') return [toolResult(message, path, calls)];
  const role = typeof name === 'string' && Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  if (!role) throw invalid(`${path}.role`, 'must be system, developer, user, assistant or tool');
  if (role !== 'assistant') return [{ role, content: readContent(message['content'], `${path}.content`) }];
  const content = assistantText(message, `${path}.content`, keepCalls(message['tool_calls'], calls));
  return content === undefined ? [] : [{ role, content }];
}

/** Undefined for a message with tool calls only. */
function assistantText(message: Fields, path: string, hasCalls: boolean): string | undefined {
  const { content, refusal } = message;
  const isAbsent = content === undefined || content === null;
  if (isAbsent && typeof refusal === 'string') return refusal;
  const text = isAbsent && hasCalls ? '' : readContent(content, path, ['text', 'refusal']);
  return hasCalls && text === '' ? undefined : text;
}

/** Whether there are any. A call without a result leaves no trace in the conversation. */
function keepCalls(listed: unknown, calls: Calls): boolean {
  if (!Array.isArray(listed)) return false;
  for (const call of listed) {
    if (!isObject(call)) continue;
    const { name: tool, arguments: input } = isObject(call['function']) ? call['function'] : {};
    calls.set(call['id'], { tool, arguments: input });
  }
  return listed.length > 0;
}

/** Quoted as JSON, so that no result continues as a text of its own. */
function toolResult(message: Fields, path: string, calls: Calls): ConversationMessage {
  const call = calls.get(message['tool_call_id']);
  if (!call) throw invalid(`${path}.tool_call_id`, 'must be the id of a tool call in an earlier message');
  const result = { ...call, result: readContent(message['content'], `${path}.content`) };
  return { role: 'user', content: `Result of a tool that was called earlier in this conversation: ${JSON.stringify(result)}` };
}

function readContent(content: unknown, path: string, types: readonly string[] = ['text']): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or a list of text parts');
  return content
    .map((part: unknown, index) => {
      const text = isObject(part) && typeof part['type'] === 'string' && types.includes(part['type']) ? part[part['type']] : undefined;
      if (typeof text === 'string') return text;
      throw invalid(`${path}[${index}]`, 'must be a part of type text');
    })
    .join('');
}
