// The conversation of a Session, with the composer under it.
import { MessagesSquare } from 'lucide-react';
import { useMemo } from 'react';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Composer } from '../composer/Composer.tsx';
import { useSend } from '../composer/use-send.ts';
import type { SessionView } from '../model/follow-session.ts';
import { useCanEdit } from '../../../sign-in/can-write.ts';
import { hasEnded, type Session } from '../model/session.ts';
import { Messages } from './Messages.tsx';
import { usePinnedScroll } from './use-pinned-scroll.ts';

export interface ConversationPaneProps {
  readonly session: Session;
  readonly scope: string;
  readonly deleted: boolean;
  readonly view: SessionView;
  /** A message was accepted. */
  readonly onSent: () => void;
  readonly onRetry: () => void;
}

export function ConversationPane({ session, scope, deleted, view, onSent, onRetry }: ConversationPaneProps) {
  const send = useSend(session);
  const scroll = usePinnedScroll();
  const { conversation } = view;
  const { allowed } = useCanEdit();
  const { namespace, name } = session.metadata;
  const place = useMemo(() => ({ namespace, session: name, scope }), [namespace, name, scope]);
  const over = deleted || conversation.ended;
  const sendAgain = over ? undefined : (content: string) => void send.send({ content, interrupt: false });
  const sent = () => {
    scroll.toEnd();
    onSent();
  };
  return (
    <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <Messages
        view={view}
        place={place}
        scroll={scroll}
        empty={deleted || hasEnded(session) || !allowed ? <NoMessages /> : <Empty system={session.spec.system} />}
        onRetry={onRetry}
        onSendAgain={sendAgain}
      />
      <Composer session={session} deleted={deleted} active={conversation.active !== undefined} send={send} onSent={sent} />
    </section>
  );
}

function NoMessages() {
  return <EmptyState cause="none" icon={<MessagesSquare />} title="No messages" />;
}

function Empty({ system }: { readonly system: string }) {
  return (
    <EmptyState cause="none" icon={<MessagesSquare />} title={`Start the conversation with ${system}`}>
      Write a message below. The conversation is kept, survives restarts, and can go back to any checkpoint.
    </EmptyState>
  );
}
