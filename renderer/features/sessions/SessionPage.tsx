// One Session: its conversation, and its checkpoints beside it.
import type { SessionEvent } from '@svc/shared/api/sessions';
import type { Conversation } from '@svc/shared/sessions/conversation';
import { kindAddress } from '../../navigation/addresses.ts';
import { useAddressParam, useScope } from '../../navigation/scope.ts';
import { flagParam, panelParam, useSearchState } from '../../navigation/search-state.ts';
import { announce } from '../../ui/feedback/announcer.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { MissingObject } from '../../ui/feedback/MissingObject.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { useCopyCommands } from '../explorer/parts/use-copy-commands.ts';
import { useCovered } from '../../inspector/covered.ts';
import { PagePanel } from '../../inspector/PagePanel.tsx';
import { ConversationPane } from './conversation/ConversationPane.tsx';
import { CheckpointsPanel } from './checkpoints/CheckpointsPanel.tsx';
import { SessionHeader } from './conversation/SessionHeader.tsx';
import { SESSION, type Session } from './model/session.ts';
import { ConversationFiles } from './parts/ConversationFiles.tsx';
import { announcementOf } from './model/turn-text.ts';
import { useExport } from './model/use-export.ts';
import { useConversation, useSession } from './model/use-session.ts';
import { LoadingSkeleton } from '../../ui/feedback/Skeleton.tsx';

const PARAMS = { checkpoints: panelParam(flagParam) };

export function SessionPage() {
  const namespace = useAddressParam('ns');
  const name = useAddressParam('name');
  const { scope } = useScope();
  const { session, loading, error, deleted, retry } = useSession({ namespace, name });
  if (session)
    return (
      <ConversationFiles key={session.metadata.uid}>
        <LoadedSession session={session} deleted={deleted} />
      </ConversationFiles>
    );
  if (loading && error === null)
    return <LoadingSkeleton label="Loading the Session" className="gap-4 p-6" parts={['h-6 w-64', 'h-16 w-2/3', 'h-32 w-full']} />;
  const list = (
    <LinkButton variant="primary" href={kindAddress(scope, SESSION)}>
      All Sessions
    </LinkButton>
  );
  return <MissingObject noun="Session" namespace={namespace} name={name} error={error} onRetry={retry} list={list} />;
}

function announceEvent(event: SessionEvent, conversation: Conversation): void {
  const sentence = announcementOf(event, conversation);
  if (sentence !== undefined) announce(sentence);
}

function LoadedSession({ session, deleted }: { readonly session: Session; readonly deleted: boolean }) {
  useCopyCommands({ kind: SESSION, ...session.metadata });
  const { scope } = useScope();
  const [{ checkpoints }, setState] = useSearchState(PARAMS);
  const shown = !useCovered() && checkpoints;
  const { view, readOn, retry } = useConversation(session, announceEvent);
  const exports = useExport(session, view.conversation);
  return (
    // Where the page is low, it scrolls as a whole: head and composer would leave no room to read what is decided.
    <div className="[container:session/size] min-h-0 flex-1 overflow-y-auto">
      <div className="flex h-full flex-col low-session:h-[44rem]">
        <SessionHeader
          session={session}
          scope={scope}
          deleted={deleted}
          active={view.conversation.active}
          exports={exports}
          checkpointsShown={shown}
          onCheckpoints={() => setState({ checkpoints: !shown })}
        />
        {deleted && (
          <Banner tone="danger">This Session was deleted while it was open. Its conversation stays until you leave the page.</Banner>
        )}
        <div className="relative flex min-h-0 flex-1">
          <ConversationPane session={session} scope={scope} deleted={deleted} view={view} onSent={readOn} onRetry={retry} />
          {checkpoints && (
            <PagePanel
              aria-label="Checkpoints"
              className="w-96 shrink-0 overflow-y-auto border-l border-border bg-surface max-lg:w-80 max-md:absolute max-md:inset-0 max-md:z-10 max-md:w-full"
            >
              <CheckpointsPanel session={session} view={view} />
            </PagePanel>
          )}
        </div>
      </div>
    </div>
  );
}
