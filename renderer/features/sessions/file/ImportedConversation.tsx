// A conversation from a file, to read; it allows no actions and links nothing of this server.
import { useMemo } from 'react';
import { ImportedHeader } from '../../../ui/file/ImportedHeader.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';
import { Messages } from '../conversation/Messages.tsx';
import { usePinnedScroll } from '../conversation/use-pinned-scroll.ts';
import { SESSION } from '../model/session.ts';
import type { OpenedConversation } from './read-conversation-file.ts';

export interface ImportedConversationProps {
  readonly opened: OpenedConversation;
  readonly onClose: () => void;
}

const nothing = () => undefined;

export function ImportedConversation({ opened, onClose }: ImportedConversationProps) {
  const { session, exportedAt, conversation } = opened;
  const scroll = usePinnedScroll();
  const view = useMemo(() => ({ conversation, version: 0, phase: 'following', partial: false, error: null }) as const, [conversation]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="border-b border-border bg-bg">
        <ImportedHeader namespace={session.namespace} name={session.name} exportedAt={exportedAt} onClose={onClose}>
          <span>with {session.system}</span>
          <span>{phaseLook(session.phase, SESSION).label} when it was exported</span>
        </ImportedHeader>
      </div>
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
        <Messages
          view={view}
          place={undefined}
          scroll={scroll}
          onRetry={nothing}
          onSendAgain={undefined}
          empty={
            <EmptyState cause="none" title="This conversation has no messages">
              None had been sent when it was exported.
            </EmptyState>
          }
        />
      </section>
    </div>
  );
}
