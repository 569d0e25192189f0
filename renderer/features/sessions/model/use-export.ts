// Saves the conversation of a Session as a file.
import type { Conversation } from '@svc/shared/sessions/conversation';
import { useState } from 'react';
import { serverNow } from '../../../live/server-clock.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { toastError } from '../../../ui/overlay/toast.ts';
import { download } from '../../../ui/text/large-text.ts';
import { writeConversationFile } from '../file/conversation-file.ts';
import { refOf, type Session } from './session.ts';
import { transcriptText } from './transcript.ts';
import { allEvents, allTurns } from './use-session.ts';

export interface ConversationExport {
  /** The turns that are loaded. */
  readonly asMarkdown: () => void;
  /** All events and turns, read from the server. */
  readonly asJson: () => void;
  readonly busy: boolean;
}

export function useExport(session: Session, conversation: Conversation): ConversationExport {
  const [busy, setBusy] = useState(false);
  const { name } = session.metadata;
  const asJson = async () => {
    setBusy(true);
    try {
      const exported_at = new Date(serverNow()).toISOString();
      const ref = refOf(session);
      const head = { ...ref, system: session.spec.system, phase: session.status.phase };
      const file = { exported_at, session: head, events: await allEvents(ref), turns: await allTurns(ref) };
      download(`${name}.conversation.json`, writeConversationFile(file), 'application/json');
      announce('The conversation was exported');
    } catch (error) {
      toastError('The conversation could not be exported', error);
    } finally {
      setBusy(false);
    }
  };
  return {
    asMarkdown: () => download(`${name}.md`, transcriptText(session, conversation), 'text/markdown'),
    asJson: () => void asJson(),
    busy,
  };
}
