// First messages of a turn, rendered from the Task's input and the messages handed over (docs/systems.md).
import type { ChatMessage } from '../ports.ts';
import type { Failure } from './entries.ts';
import type { AgentSnapshot, ConversationMessage } from './snapshot.ts';

interface HandedOver {
  readonly from: string;
  readonly content: string;
}

export interface TurnInput {
  readonly agent: AgentSnapshot;
  readonly taskInput: Readonly<Record<string, string>>;
  readonly inbox: readonly HandedOver[];
  readonly failedSources: readonly { readonly agent: string; readonly failure: Failure }[];
  readonly conversation?: readonly ConversationMessage[] | undefined;
}

/** `key: value` lines; a value of several lines stands under its key. */
export function renderTaskInput(input: Readonly<Record<string, string>>): string {
  return Object.entries(input)
    .map(([key, value]) => (value.includes('\n') ? `${key}:\n${value}` : `${key}: ${value}`))
    .join('\n');
}

/** The user message: the Task's input, then one section for each message handed over, then one for each source that failed. */
export function renderUserMessage(input: TurnInput): string {
  const taskText = renderTaskInput(input.taskInput) || 'The task has no input.';
  const handedOver = input.inbox.filter((message) => message.from !== '');
  if (handedOver.length === 0 && input.failedSources.length === 0) return taskText;
  return [
    `# Task input\n${taskText}`,
    ...handedOver.map((message) => `# From ${message.from}\n${message.content}`),
    ...input.failedSources.map(({ agent, failure }) => `# ${agent} failed\n${failure.code}: ${failure.message}`),
  ].join('\n\n');
}

/** The agent's prompt, for an entry agent the conversation so far, then the user message. */
export function openingMessages(input: TurnInput): ChatMessage[] {
  const { agent, inbox, conversation = [] } = input;
  const isEntry = inbox.some(({ from }) => from === '');
  return [
    ...(agent.prompt === '' ? [] : [{ role: 'system', content: agent.prompt } as const]),
    ...(isEntry ? conversation : []),
    { role: 'user', content: renderUserMessage(input) },
  ];
}
