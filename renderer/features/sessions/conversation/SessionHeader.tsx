// The head of a Session's page: identity, state, system, control.
import type { ConversationTurn } from '@svc/shared/sessions/conversation';
import { GitBranch, History } from 'lucide-react';
import { kindAddress } from '../../../navigation/addresses.ts';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { SessionControls } from './SessionControls.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { PageHeader } from '../../../ui/layout/PageHeader.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { hasEnded, phaseOf, refOf, SESSION, systemOf, type Session } from '../model/session.ts';
import type { ConversationExport } from '../model/use-export.ts';

export interface SessionHeaderProps {
  readonly session: Session;
  readonly scope: string;
  readonly deleted: boolean;
  readonly active: ConversationTurn | undefined;
  readonly exports: ConversationExport;
  readonly checkpointsShown: boolean;
  readonly onCheckpoints: () => void;
}

export function SessionHeader({ session, scope, deleted, active, exports, checkpointsShown, onCheckpoints }: SessionHeaderProps) {
  const { metadata, spec, status } = session;
  return (
    <div className="border-b border-border bg-bg">
      <PageHeader
        crumbs={[{ label: 'Sessions', href: kindAddress(scope, SESSION) }, { label: metadata.namespace }]}
        title={metadata.name}
        status={deleted ? <Badge tone="danger">Deleted</Badge> : <PhasePill phase={phaseOf(session)} kind={SESSION} />}
        meta={
          <>
            <PeekLink object={systemOf(session)} scope={scope} className="inline-flex items-center gap-1">
              <GitBranch aria-hidden className="size-3.5 shrink-0" />
              {spec.system}
            </PeekLink>
            <span className="tabular-nums">{turnsText(status)}</span>
            {status.lastActivityAt !== undefined && (
              <span>
                active <Time at={status.lastActivityAt} sentence />
              </span>
            )}
            {status.expiresAt !== undefined && !deleted && !hasEnded(session) && active === undefined && (
              <span className="inline-flex items-center gap-1">
                expires in <Countdown until={status.expiresAt} label={`Session ${metadata.name}`} />
              </span>
            )}
            <PeekLink object={{ kind: SESSION, ...refOf(session) }} scope={scope}>
              Details
            </PeekLink>
          </>
        }
        actions={
          <>
            {!deleted && <SessionControls session={session} active={active} exports={exports} />}
            <Button icon={<History />} aria-pressed={checkpointsShown} onClick={onCheckpoints}>
              Checkpoints
            </Button>
          </>
        }
      />
    </div>
  );
}

function turnsText({ completedTurns = 0, queuedTurns = 0 }: Session['status']): string {
  const done = `${completedTurns === 1 ? '1 turn' : `${completedTurns} turns`} completed`;
  return queuedTurns === 0 ? done : `${done}, ${queuedTurns} queued`;
}
