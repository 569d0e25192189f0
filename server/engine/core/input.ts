// First messages of a turn, rendered from the Task's input and the messages handed over (docs/systems.md).
import type { ChatMessage } from '../ports.ts';
import type { Failure } from './entries.ts';
import type { AgentSnapshot, ConversationMessage, TaskSnapshot } from './snapshot.ts';
import type { TurnState } from './state.ts';

interface HandedOver {
  readonly from: string;
  readonly content: string;
}

export interface TurnInput {
  readonly agent: AgentSnapshot;
  readonly task: Pick<TaskSnapshot, 'input' | 'shownInput'>;
  readonly inbox: readonly HandedOver[];
  readonly failedSources: readonly { readonly agent: string; readonly failure: Failure }[];
  /** The message that a person put in its place. */
  readonly edited?: string | undefined;
}

/** `key: value` lines; a value of several lines follows its key. A value that is shown alone has no key. */
export function renderTaskInput({ input, shownInput }: TurnInput['task']): string {
  if (shownInput !== undefined) return input[shownInput] ?? '';
  return Object.entries(input)
    .map(([key, value]) => (value.includes('\n') ? `${key}:\n${value}` : `${key}: ${value}`))
    .join('\n');
}

/** The user message: the Task's input, then one section for each message handed over, then one for each source that failed. */
export function userMessage(input: TurnInput): string {
  if (input.edited !== undefined) return input.edited;
  const taskText = renderTaskInput(input.task) || 'The task has no input.';
  const handedOver = input.inbox.filter((message) => message.from !== '');
  if (handedOver.length === 0 && input.failedSources.length === 0) return taskText;
  return [
    `# Task input\n${taskText}`,
    ...handedOver.map((message) => `# From ${message.from}\n${message.content}`),
    ...input.failedSources.map(({ agent, failure }) => `# ${agent} failed\n${failure.code}: ${failure.message}`),
  ].join('\n\n');
}

/** The agent's prompt, then the user message. */
export function openingMessages(input: TurnInput): ChatMessage[] {
  const { prompt } = input.agent;
  return [...(prompt === '' ? [] : [{ role: 'system', content: prompt } as const]), { role: 'user', content: userMessage(input) }];
}

export const isEntryTurn = ({ inbox }: Pick<TurnState, 'inbox'>): boolean => inbox.some(({ from }) => from === '');

/** Inserts the conversation between the prompt and the user message of an entry agent. */
export function continued(transcript: readonly ChatMessage[], conversation: readonly ConversationMessage[]): ChatMessage[] {
  const opening = transcript[0]?.role === 'system' ? 1 : 0;
  return [...transcript.slice(0, opening), ...conversation, ...transcript.slice(opening)];
}
