// Saves the conversation of a Session as a file.
import type { Conversation } from '@svc/shared/sessions/conversation';
import { useMutation } from '@tanstack/react-query';
import { asKind } from '../../../kinds/read.ts';
import { client } from '../../../live/api.ts';
import { serverNow } from '../../../live/server-clock.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { toastError } from '../../../ui/overlay/toast.ts';
import { download } from '../../../ui/text/large-text.ts';
import { writeConversationFile } from '../file/conversation-file.ts';
import { refOf, SESSION, type Session } from './session.ts';
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
  const { name } = session.metadata;
  const asJson = useMutation({
    mutationFn: async () => {
      const exported_at = new Date(serverNow()).toISOString();
      const ref = refOf(session);
      const events = await allEvents(ref);
      const turns = await allTurns(ref);
      // The page may not have the phase that belongs to these turns yet.
      const { spec, status } = asKind(SESSION, await client.resources.get.query({ kind: SESSION, ...ref }));
      const file = { exported_at, session: { ...ref, system: spec.system, phase: status.phase }, events, turns };
      download(`${name}.conversation.json`, writeConversationFile(file), 'application/json');
    },
    onSuccess: () => announce('The conversation was exported'),
    onError: (error) => toastError('The conversation could not be exported', error),
  });
  return {
    asMarkdown: () => download(`${name}.md`, transcriptText(session, conversation), 'text/markdown'),
    asJson: () => asJson.mutate(),
    busy: asJson.isPending,
  };
}
