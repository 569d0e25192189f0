// Composition of a model's context in one call, by kind, and the tools offered. Pure over the trace and the definition that the run froze.
import type { AgentDefinition, ToolDefinition } from '@svc/shared/api/runs';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import type { ConversationMessage } from '../model/conversation.ts';
import type { Span } from '../model/spans.ts';

export type PartName = 'system' | 'tools' | 'input' | 'history';

export interface ContextPart {
  readonly name: PartName;
  readonly chars: number;
  /** Share of everything sent, from 0 to 1. */
  readonly share: number;
}

function charsOf(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
}

/** By length of text, the only recorded measure; empty when nothing was sent. */
export function contextParts(prompt: string, offered: readonly ToolDefinition[], messages: readonly ConversationMessage[]): ContextPart[] {
  const sum = (chosen: readonly ConversationMessage[]) => chosen.reduce((all, { content }) => all + charsOf(content), 0);
  const given = messages.filter(isGiven);
  const parts = [
    { name: 'system' as const, chars: prompt.length },
    { name: 'tools' as const, chars: offered.length === 0 ? 0 : charsOf(offered) },
    { name: 'input' as const, chars: sum(given) },
    { name: 'history' as const, chars: sum(messages.filter((message) => !isGiven(message))) },
  ];
  const total = parts.reduce((all, { chars }) => all + chars, 0);
  return total === 0 ? [] : parts.map((part) => ({ ...part, share: part.chars / total }));
}

/** Whether the message was present at the start of the turn, as against added by it. */
const isGiven = ({ role, from }: ConversationMessage): boolean => role === 'user' && from !== 'Reminder';

/** Place where the turn's work began that counts for this call: its start, or the last return by a reviewer. */
function workBegan(entries: readonly TraceEntry[], turn: Span, callPlace: number): number {
  const {
    agent,
    branch,
    entries: [start = 0],
  } = turn;
  for (let place = callPlace - 1; place > start; place -= 1) {
    const entry = entries[place];
    if (entry?.decision === 'request_changes' && entry.agent === agent && entry.branch_id === branch) return place;
  }
  return start;
}

/**
 * Tools offered to the model: an agent that withdraws its tools offers those that had not yet succeeded in the turn; a route is chosen
 * once.
 */
export function offeredTools(
  { tools, withdraws, choice }: AgentDefinition,
  entries: readonly TraceEntry[],
  model: Span,
): readonly ToolDefinition[] {
  const {
    parent: turn,
    entries: [callPlace = 0],
  } = model;
  const all = choice ? [...tools, choice] : tools;
  if (!turn || (!withdraws && !choice)) return all;
  const began = workBegan(entries, turn, callPlace);
  const places = turn.children.filter(({ kind }) => kind === 'tool').flatMap((call) => call.entries);
  const done = places.filter((place) => place > began && place < callPlace && entries[place]?.type === 'tool_call');
  const succeeded = new Set(done.map((place) => entries[place]?.tool));
  return all.filter(({ name }) => (!withdraws && name !== choice?.name) || !succeeded.has(name));
}

/** The previous call of the same turn. */
export function callBefore({ parent: turn, entries: [callPlace = 0] }: Span): Span | undefined {
  return turn?.children.findLast(({ kind, entries: [first = 0] }) => kind === 'model' && first < callPlace);
}

export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** In both, with different descriptions. */
  readonly changed: readonly string[];
}

export function toolChanges(before: readonly ToolDefinition[], after: readonly ToolDefinition[]): ListChange {
  const known = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const now = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    removed: before.filter(({ name }) => !now.has(name)).map(({ name }) => name),
    changed: after.filter((tool) => known.has(tool.name) && known.get(tool.name) !== JSON.stringify(tool)).map(({ name }) => name),
  };
}
