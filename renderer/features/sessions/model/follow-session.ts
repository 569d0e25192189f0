// Fills a conversation from the server's stream of events, which resumes where it broke off.
import type { SessionEvent, Turn } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';

export interface FollowHandlers {
  readonly onEvents: (events: readonly SessionEvent[]) => void;
  readonly onError: (error: unknown) => void;
  /** No event will follow: the Session was deleted. */
  readonly onEnd: () => void;
}

/** Source of events: the server in the console, arrays in tests. */
export interface SessionPort {
  /** One page of events after this sequence number. */
  page(after: number): Promise<readonly SessionEvent[]>;
  /** Every event from the first one on. Returns a function that stops it. */
  follow(handlers: FollowHandlers): () => void;
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
  /** Only the newest turns are there; the others are being read. */
  readonly partial: boolean;
  readonly error: unknown;
}

export interface FollowOptions {
  readonly port: SessionPort;
  /** Sequence number of the newest event when the Session was read: `loading` ends there. */
  readonly head: number;
  /** Collects changes in quick succession; by default until the browser's next frame. */
  readonly schedule?: (publish: () => void) => () => void;
  /** Receives events that come after the first view: what happens while a person watches. */
  readonly onLive?: (event: SessionEvent, conversation: Conversation) => void;
}

function nextFrame(publish: () => void): () => void {
  const frame = requestAnimationFrame(publish);
  // A hidden tab has no frames, yet its conversation continues.
  const timer = setTimeout(publish, 250);
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
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

/** Follows until the returned function is called. `onView` gets a view at most once per frame. */
export function followSession(options: FollowOptions, onView: (view: SessionView) => void): () => void {
  const { port, head, schedule = nextFrame, onLive } = options;
  const conversation = new Conversation();
  let view: SessionView = { conversation, version: 0, phase: 'loading', partial: false, error: null };
  let stopped = false;
  let caughtUp = false;
  let cancel: (() => void) | undefined;
  let unfollow: (() => void) | undefined;
  const publish = (change: Partial<SessionView> = {}) => {
    cancel?.();
    cancel = undefined;
    if (stopped) return;
    view = { ...view, ...change, version: view.version + 1 };
    onView(view);
  };
  const fail = (error: unknown) => publish({ phase: 'failed', error });
  const showAll = () => publish({ conversation, phase: 'following', partial: false, error: null });
  const onEvents = (events: readonly SessionEvent[]) => {
    if (stopped) return;
    for (const event of events) {
      const isNew = event.seq > conversation.lastSeq;
      conversation.apply(event);
      if (isNew && caughtUp) onLive?.(event, conversation);
    }
    if (caughtUp) cancel ??= schedule(() => publish());
    if (caughtUp || conversation.lastSeq < head) return;
    caughtUp = true;
    if (!conversation.origin) return showAll();
    port.turns().then((turns) => {
      conversation.addHistory(turns);
      showAll();
    }, fail);
  };
  const follow = () => {
    // A deletion takes events away, so that the head may never come.
    const onEnd = () => {
      if (!caughtUp) showAll();
    };
    if (!stopped) unfollow ??= port.follow({ onEvents, onError: fail, onEnd });
  };
  const showTail = (events: readonly SessionEvent[]) => {
    const tail = tailOf(events);
    if (tail) publish({ conversation: tail, phase: 'following', partial: true });
  };
  if (head <= 2 * TAIL_EVENTS) follow();
  // Without the tail the conversation appears later, complete. The other events are requested once the tail is on screen.
  else
    void port
      .page(head - TAIL_EVENTS)
      .then(showTail, () => undefined)
      .then(() => schedule(follow));
  return () => {
    stopped = true;
    cancel?.();
    unfollow?.();
  };
}
