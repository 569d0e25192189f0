// Fills a conversation: its events so far page by page, later ones from a stream that resumes where it broke off, or from further pages.
import type { SessionEvent, Turn } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';
import { nextFrame } from '../../../live/next-frame.ts';
import { problemOf } from '../../../live/problem.ts';

export interface FollowHandlers {
  readonly onEvents: (events: readonly SessionEvent[]) => void;
  readonly onError: (error: unknown) => void;
}

interface EventPage {
  readonly items: readonly SessionEvent[];
  /** Present when more events follow. */
  readonly continue?: string | undefined;
}

/** Source of events: the server in the console, arrays in tests. */
export interface SessionPort {
  /** One page of events after this sequence number. */
  page(after: number): Promise<EventPage>;
  /** Every event after this sequence number. Returns a function that stops it. */
  follow(after: number, handlers: FollowHandlers): () => void;
  /** All turns, also those without events. */
  turns(): Promise<readonly Turn[]>;
}

type FollowPhase = 'loading' | 'following' | 'failed';

/** State of the conversation on screen. Each change is a new object with the same conversation in it. */
export interface SessionView {
  readonly conversation: Conversation;
  /** Number of changes. */
  readonly version: number;
  readonly phase: FollowPhase;
  /** Only the newest turns are loaded; the others are being read. */
  readonly partial: boolean;
  readonly error: unknown;
}

export interface FollowOptions {
  readonly port: SessionPort;
  /** Sequence number of the newest event when the Session was read. */
  readonly head: number;
  /** Collects changes in quick succession; by default until the browser's next frame. */
  readonly schedule?: (publish: () => void) => () => void;
  /** Receives events that come after the first view: what happens while a person watches. */
  readonly onLive?: (event: SessionEvent, conversation: Conversation) => void;
}

/** Events that are read first in a long Session: the end of the conversation is on screen while the rest loads. */
const TAIL_EVENTS = 400;

/** The newest turns alone, from events in mid-conversation; undefined when no turn begins among them. */
function tailOf(events: readonly SessionEvent[]): Conversation | undefined {
  const first = events.findIndex(({ type }) => type === 'message.created');
  if (first === -1) return undefined;
  const tail = new Conversation();
  const known = new Set<string>();
  for (const event of events.slice(first)) {
    if (event.type === 'message.created' && event.turn_id !== undefined) known.add(event.turn_id);
    if (event.turn_id === undefined || known.has(event.turn_id)) tail.apply(event);
  }
  return tail;
}

export interface Following {
  /**
   * Reads the events after those that are known, and returns the sequence number of the last one. The first call ends `loading` and starts
   * the stream. Rejects with the error of the request.
   */
  readonly readOn: () => Promise<number>;
  readonly stop: () => void;
}

/** Nothing is read before `readOn`. `onView` gets a view at most once per frame. */
export function followSession(options: FollowOptions, onView: (view: SessionView) => void): Following {
  const { port, head, schedule = nextFrame, onLive } = options;
  const conversation = new Conversation();
  let view: SessionView = { conversation, version: 0, phase: 'loading', partial: false, error: null };
  let stopped = false;
  let caughtUp = false;
  let tailWanted = head > 2 * TAIL_EVENTS;
  let cancel: (() => void) | undefined;
  let unfollow: (() => void) | undefined;
  const publish = (change: Partial<SessionView> = {}) => {
    cancel?.();
    cancel = undefined;
    if (stopped) return;
    view = { ...view, ...change, version: view.version + 1 };
    onView(view);
  };
  const take = (events: readonly SessionEvent[]) => {
    if (stopped) return;
    for (const event of events) {
      const isNew = event.seq > conversation.lastSeq;
      conversation.apply(event);
      if (isNew && caughtUp) onLive?.(event, conversation);
    }
    if (caughtUp && events.length > 0) cancel ??= schedule(() => publish());
  };
  /** Without the tail the conversation appears later, complete. The other events are requested once the tail is on screen. */
  const showTail = async () => {
    tailWanted = false;
    const tail = await port.page(head - TAIL_EVENTS).then(
      ({ items }) => tailOf(items),
      () => undefined,
    );
    if (!tail) return;
    publish({ conversation: tail, phase: 'following', partial: true });
    await new Promise<void>((resolve) => void schedule(resolve));
  };
  const readPages = async () => {
    for (let more = true; more && !stopped;) {
      const page = await port.page(conversation.lastSeq);
      take(page.items);
      more = page.continue !== undefined;
    }
  };
  const readOn = async () => {
    if (tailWanted) await showTail();
    await readPages().catch((error: unknown) => {
      // Deleted meanwhile: the events that came stay on screen.
      if (conversation.lastSeq === 0 || problemOf(error).code !== 'not_found') throw error;
    });
    const history = !caughtUp && conversation.origin ? await port.turns() : [];
    if (caughtUp || stopped) return conversation.lastSeq;
    caughtUp = true;
    conversation.addHistory(history);
    publish({ conversation, phase: 'following', partial: false, error: null });
    unfollow = port.follow(conversation.lastSeq, { onEvents: take, onError: (error) => publish({ phase: 'failed', error }) });
    return conversation.lastSeq;
  };
  const stop = () => {
    stopped = true;
    cancel?.();
    unfollow?.();
  };
  return { readOn, stop };
}
