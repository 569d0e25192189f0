// Words about turns: states, withdrawn text, notes, announcements. Pure.
import type { SessionEvent } from '@svc/shared/api/sessions';
import type { Conversation, ConversationNote, ConversationTurn, ToolCallPart } from '@svc/shared/sessions/conversation';

export interface TurnState {
  readonly label: string;
  readonly look: 'busy' | 'waiting' | 'paused';
}

const SHOWN_TOOLS = 3;

function runningTools(turn: ConversationTurn): string[] {
  const running = turn.parts.filter((part): part is ToolCallPart => part.type === 'tool' && part.result === undefined);
  return [...new Set(running.map(({ tool }) => tool))];
}

/** Place of a turn that has not begun. */
export interface TurnPlace {
  /** Number of turns before it in the queue, the active one included. */
  readonly ahead: number;
  /** Its Session is paused. */
  readonly held: boolean;
}

/** State of a turn that is not over. */
export function turnState(turn: ConversationTurn, { ahead, held }: TurnPlace): TurnState | undefined {
  if (turn.activity === 'over') return undefined;
  if (turn.activity === 'paused') return { label: 'Paused', look: 'paused' };
  if (turn.activity === 'retrying') return { label: 'Retrying', look: 'busy' };
  if (turn.phase === 'WaitingApproval') return { label: 'Waiting for approval', look: 'waiting' };
  if (turn.activity === 'waiting' && ahead > 0)
    return { label: ahead === 1 ? 'Queued, next' : `Queued, ${ahead} before it`, look: 'paused' };
  if (turn.activity === 'waiting' && held) return { label: 'Held until the Session is resumed', look: 'paused' };
  if (turn.activity === 'waiting') return { label: 'Waiting for a worker', look: 'busy' };
  const tools = runningTools(turn);
  if (tools.length > SHOWN_TOOLS) return { label: `Running ${tools.length} tools`, look: 'busy' };
  if (tools.length > 0) return { label: `Running ${tools.join(', ')}`, look: 'busy' };
  return { label: turn.text === '' ? 'Thinking' : 'Writing', look: 'busy' };
}

const WITHDRAWN: Readonly<Record<string, string>> = {
  superseded: 'Another agent answered instead',
  retry: 'The model call was repeated',
  recovered: 'The worker was lost; the answer began again',
  released: 'The worker stopped; the answer began again',
  session_paused: 'The Session was paused; the answer began again',
  session_rewound: 'The Session was rewound',
  cancelled: 'The Session was cancelled before the answer was complete',
  completed: 'The Session was completed before the answer was',
  interrupted: 'Interrupted before it was complete',
  failed: 'The attempt ended before it was complete',
};

export const withdrawnReason = (reason: string): string =>
  (Object.hasOwn(WITHDRAWN, reason) ? WITHDRAWN[reason] : undefined) ?? 'This text is not part of the answer';

const NOTES: Readonly<Partial<Record<SessionEvent['type'], string>>> = {
  'session.paused': 'Paused',
  'session.resumed': 'Resumed',
  'session.cancelled': 'Session cancelled',
  'session.completed': 'Session completed',
  'session.expired': 'Session expired without activity',
  'session.rewound': 'Rewound to a checkpoint',
  'session.forked': 'Forked from another Session',
};

export function noteText({ type, reason }: ConversationNote): string {
  const text = NOTES[type] ?? type;
  if (type === 'session.completed' && reason === 'max_turns_reached') return `${text}: its maximum of turns is reached`;
  return type === 'session.paused' && reason !== undefined ? `${text}: ${reason}` : text;
}

/** Sentence for a screen reader; undefined for events that need none, such as every piece of text. */
export function announcementOf({ type, turn_id: id, payload }: SessionEvent, conversation: Conversation): string | undefined {
  const turn = id === undefined ? undefined : conversation.turn(id);
  switch (type) {
    case 'turn.completed':
      return turn?.agent === undefined ? 'Answer complete' : `${turn.agent} has answered`;
    case 'turn.failed':
      return `The turn failed: ${turn?.error ?? ''}`;
    case 'turn.retrying':
      return 'The turn is retried';
    case 'approval.requested':
      return 'An approval is needed';
    case 'approval.resolved':
      if (payload['decision'] === 'request_changes') return 'Changes were requested';
      return `The approval was ${typeof payload['decision'] === 'string' ? payload['decision'] : 'resolved'}`;
    case 'session.paused':
      return 'The Session is paused';
    case 'session.resumed':
      return 'The Session continues';
    default:
      return undefined;
  }
}
