// Unsent messages, one per person and Session, kept in this browser.
import { personHere } from '../sign-in/use-hello.ts';
import { keep, readKept } from '../ui/browser-storage.ts';

/** The text, and the key of an earlier send of it: the same text is sent again under the same key. */
export interface MessageDraft {
  readonly content: string;
  readonly key?: string | undefined;
  /** A send got no answer, so that its outcome is unknown. */
  readonly unanswered?: boolean;
}

const PREFIX = 'svc.session-draft.';
const keyOf = (sessionUid: string) => `${PREFIX}${sessionUid} ${personHere()}`;

export function readMessageDraft(sessionUid: string): MessageDraft {
  const stored = readKept(keyOf(sessionUid)) as Partial<MessageDraft> | null | undefined;
  if (typeof stored?.content !== 'string') return { content: '' };
  const { content, key, unanswered } = stored;
  return { content, ...(typeof key === 'string' && { key }), ...(unanswered === true && { unanswered }) };
}

/** An empty draft is removed. */
export function keepMessageDraft(sessionUid: string, draft: MessageDraft): void {
  keep(keyOf(sessionUid), draft.content === '' ? undefined : draft);
}

/** Called at sign-out, so that the next person at this browser cannot read them. */
export function forgetMessageDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // A browser without storage has nothing to delete.
  }
}
