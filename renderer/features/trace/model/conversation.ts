// Messages that a model received in one call, composed from the entries of its turn, in the order the model saw them. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import type { Span } from './spans.ts';

type Role = 'user' | 'assistant' | 'tool';

export interface ConversationMessage {
  readonly role: Role;
  /** Sender: the task, an agent, a tool, a reviewer. */
  readonly from: string;
  readonly content: unknown;
  readonly truncated: boolean;
  /** Tools that an answer requests. */
  readonly toolRequests: readonly string[];
  /** Absent from the turn's previous call. */
  readonly isNew: boolean;
  /** Place of its entry. */
  readonly place: number;
}

type Entries = readonly TraceEntry[];

function startPlace(entries: Entries, turn: Span): number {
  return turn.entries.find((place) => entries[place]?.type === 'agent_start') ?? turn.entries[0] ?? 0;
}

/** The last entry of the type before a place that matches. */
function lastBefore(entries: Entries, place: number, fits: (entry: TraceEntry) => boolean): number | undefined {
  for (let at = place - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (entry && fits(entry)) return at;
  }
  return undefined;
}

/** Places of the handovers that a turn works on: as many as messages were received, the latest before it. */
function inputPlaces(entries: Entries, turn: Span): readonly number[] {
  const received = turn.entries.filter((place) => entries[place]?.type === 'agent_message_received').length;
  const places: number[] = [];
  let at = startPlace(entries, turn);
  while (places.length < Math.max(1, received)) {
    const found = lastBefore(entries, at, ({ attempt, agent, type, to_agent }) => {
      const starts = type === 'agent_start' && agent === turn.agent;
      return attempt === turn.attempt && (type === 'task_start' || starts || (type === 'agent_message' && to_agent === turn.agent));
    });
    if (found === undefined || entries[found]?.type !== 'agent_message') break;
    places.unshift(found);
    at = found;
  }
  return places;
}

function fromTask(entries: Entries, turn: Span): ConversationMessage[] {
  const place = lastBefore(entries, entries.length, ({ type, attempt }) => type === 'task_start' && attempt === turn.attempt);
  const entry = place === undefined ? undefined : entries[place];
  if (place === undefined || entry?.input === undefined) return [];
  const truncated = entry.truncated === true;
  return [{ role: 'user', from: 'Run input', content: entry.input, truncated, toolRequests: [], isNew: true, place }];
}

/** The message that a person wrote at the breakpoint before the turn, in place of its input. */
function fromBreakpoint(entries: Entries, { children }: Span): ConversationMessage | undefined {
  const places = children.filter(({ kind }) => kind === 'breakpoint').flatMap((child) => child.entries);
  const place = places.findLast((each) => entries[each]?.type === 'breakpoint_resolved' && entries[each].input !== undefined);
  const entry = place === undefined ? undefined : entries[place];
  if (place === undefined || !entry) return undefined;
  const truncated = entry.truncated === true;
  return { role: 'user', from: 'the breakpoint', content: entry.input, truncated, toolRequests: [], isNew: true, place };
}

/** Input of the turn: outputs of the agents that handed over to it, the input of the task, or what a person wrote in its place. */
export function turnInputs(entries: Entries, turn: Span): readonly ConversationMessage[] {
  const edited = fromBreakpoint(entries, turn);
  if (edited) return [edited];
  const messages = inputPlaces(entries, turn).flatMap((place): ConversationMessage[] => {
    const sender = entries[place]?.agent;
    const ended = lastBefore(entries, place, ({ type, agent }) => type === 'agent_end' && agent === sender);
    const entry = ended === undefined ? undefined : entries[ended];
    if (ended === undefined || !entry) return [];
    const truncated = entry.truncated === true;
    return [{ role: 'user', from: sender ?? 'agent', content: entry.output, truncated, toolRequests: [], isNew: true, place: ended }];
  });
  return messages.length > 0 ? messages : fromTask(entries, turn);
}

function messageOf(entry: TraceEntry, place: number): ConversationMessage | undefined {
  const base = { truncated: entry.truncated === true, toolRequests: [], isNew: true, place };
  switch (entry.type) {
    case 'model_call':
      return entry.message === undefined ? undefined : { ...base, role: 'user', from: 'Reminder', content: entry.message };
    case 'model_output':
      return { ...base, role: 'assistant', from: entry.agent ?? 'model', content: entry.output, toolRequests: entry.asked_tools ?? [] };
    case 'tool_call':
      return { ...base, role: 'tool', from: entry.tool ?? 'tool', content: entry.output };
    case 'tool_error':
    case 'tool_permission_denied':
      return { ...base, role: 'tool', from: entry.tool ?? 'tool', content: entry.message };
    default:
      return undefined;
  }
}

/** All messages before the model's answer in its turn; those absent from the turn's previous call are new. */
export function conversationOf(entries: Entries, model: Span): readonly ConversationMessage[] {
  const turn = model.parent;
  if (!turn) return [];
  const callPlace = model.entries[0] ?? 0;
  const calls = turn.children.filter(({ kind, entries: [first = 0] }) => kind === 'model' && first < callPlace);
  const before = calls.at(-1)?.entries[0] ?? -1;
  const places = new Set(turn.children.flatMap((child) => child.entries).filter((place) => place <= callPlace));
  const steps = [...places]
    .sort((a, b) => a - b)
    .flatMap((place) => {
      const entry = entries[place];
      const message = entry && messageOf(entry, place);
      return message ? [message] : [];
    });
  const started = turnInputs(entries, turn).map((message) => ({ ...message, isNew: before < 0 }));
  return [...started, ...steps.map((message) => ({ ...message, isNew: message.place > before }))];
}
