// One turn as it happens, until it has ended: events are shown in order, and approvals are decided beside them.
import type { SessionEvent, SessionEventType } from '@svc/shared/api/sessions';
import { EXIT } from '../program/exit-codes.ts';
import type { SessionHandle } from '../api/session-api.ts';
import { watchSession } from '../api/watch-objects.ts';

/** `session.paused` ends the turn for this reader only: it continues after a resume. */
export type TurnEnd = Extract<SessionEventType, 'turn.completed' | 'turn.failed' | 'turn.cancelled' | 'session.paused'>;
const TURN_ENDS: ReadonlySet<string> = new Set(['turn.completed', 'turn.failed', 'turn.cancelled'] satisfies TurnEnd[]);

export const exitCodeOf = (end: TurnEnd | undefined): number => (end === 'turn.completed' ? EXIT.ok : EXIT.failed);

export interface Following {
  readonly turnId: string;
  /** Sequence number after which to read; events of other turns up to `from` are left out. */
  readonly after: number;
  readonly from?: number;
  readonly signal: AbortSignal;
  readonly show: (event: SessionEvent) => void;
  /** Decides an approval in place; the signal says that it was decided elsewhere, or that the turn has ended. */
  readonly decide?: ((approval: SessionEvent, signal: AbortSignal) => Promise<void>) | undefined;
  /** Whether a pause of the Session ends the following. */
  readonly endsAtPause: boolean;
  readonly onLost?: (error: Error) => void;
}

export interface FollowedTurn {
  /** Absent when the signal came first. */
  readonly end?: TurnEnd;
  /** Sequence number of the last event. */
  readonly lastSeq: number;
}

function endOf({ type, turn_id: turn, seq }: SessionEvent, { turnId, endsAtPause, from = 0 }: Following): TurnEnd | undefined {
  if (type === 'session.paused') return endsAtPause && seq > from ? type : undefined;
  return turn === turnId && TURN_ENDS.has(type) ? (type as TurnEnd) : undefined;
}

/** While a person decides an approval, events that would disturb the prompt wait. */
export async function followTurn(session: SessionHandle, following: Following): Promise<FollowedTurn> {
  const { turnId, after, from = 0, signal, onLost } = following;
  const presenter = createPresenter(following);
  let lastSeq = after;
  for await (const event of watchSession(session, { after, signal, ...(onLost && { onLost }) })) {
    lastSeq = event.seq;
    if (event.seq <= from && event.turn_id !== turnId) continue;
    presenter.present(event);
    const end = endOf(event, following);
    if (end === undefined) continue;
    await presenter.finish();
    return { end, lastSeq };
  }
  await presenter.finish();
  return { lastSeq };
}

interface Prompt {
  readonly approval: unknown;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

function createPresenter({ show, decide }: Following) {
  const held: SessionEvent[] = [];
  let prompt: Prompt | undefined;
  const present = (event: SessionEvent): void => {
    if (prompt) {
      held.push(event);
      if (event.type === 'approval.resolved' && event.payload['name'] === prompt.approval) prompt.abort.abort();
      return;
    }
    show(event);
    if (event.type !== 'approval.requested' || !decide) return;
    const abort = new AbortController();
    const done = decide(event, abort.signal).finally(() => {
      prompt = undefined;
      while (held.length > 0 && !prompt) present(held.shift() as SessionEvent);
    });
    prompt = { approval: event.payload['name'], abort, done };
    // The failure is reported by `finish`.
    done.catch(() => undefined);
  };
  return {
    present,
    /** Ends the prompts that are open, and shows what waited for them. */
    async finish(): Promise<void> {
      while (prompt) {
        prompt.abort.abort();
        await prompt.done;
      }
    },
  };
}
