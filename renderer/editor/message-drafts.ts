// Unsent messages, one per person and Session, kept in this browser.
import { personHere } from '../sign-in/use-hello.ts';

/** The text, and the key of an earlier send of it: the same text is sent again under the same key. */
export interface MessageDraft {
  readonly content: string;
  readonly key?: string | undefined;
  /** A send got no answer, so that its outcome is unknown. */
  readonly unanswered?: boolean;
}

const PREFIX = 'svc.session-draft.';
const keyOf = (sessionUid: string) => `${PREFIX}${sessionUid} ${personHere()}`;
const NONE: MessageDraft = { content: '' };

export function readMessageDraft(sessionUid: string): MessageDraft {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(sessionUid)) ?? 'null') as Partial<MessageDraft> | null;
    if (typeof stored?.content !== 'string') return NONE;
    const { content, key, unanswered } = stored;
    return { content, ...(typeof key === 'string' && { key }), ...(unanswered === true && { unanswered }) };
  } catch {
    return NONE;
  }
}

/** An empty draft is removed. */
export function keepMessageDraft(sessionUid: string, draft: MessageDraft): void {
  try {
    if (draft.content === '') localStorage.removeItem(keyOf(sessionUid));
    else localStorage.setItem(keyOf(sessionUid), JSON.stringify(draft));
  } catch {
    // A browser without storage keeps the draft as long as the page.
  }
}

/** Called at sign-out, so that the next person at this browser cannot read them. */
export function forgetMessageDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // A browser without storage has nothing to delete.
  }
}
