// One turn: the message of the person, the work in between, and the answer.
import type { ConversationTurn } from '@svc/shared/sessions/conversation';
import { Bot, CircleAlert, CirclePause, CircleUser, RotateCcw } from 'lucide-react';
import { memo, useState, type ReactNode } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { CopyLinkButton } from '../../../ui/button/CopyLinkButton.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Duration } from '../../../ui/status/Duration.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { Link } from '../../../ui/link/Link.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { EndNote } from '../../trace/parts/EndNote.tsx';
import { turnAddress, type Place } from '../model/session.ts';
import { groupParts, type PartGroup } from '../model/rows.ts';
import { turnState, withdrawnReason, type TurnPlace, type TurnState } from '../model/turn-text.ts';
import { AnswerText } from './AnswerText.tsx';
import { ApprovalPartView } from './ApprovalPartView.tsx';
import { ToolCalls } from './ToolCalls.tsx';
import { useMinHeight } from './use-min-height.ts';

export interface TurnViewProps extends TurnPlace {
  readonly turn: ConversationTurn;
  /** `turn.revision`: the turn itself is changed in place. */
  readonly revision: number;
  readonly place: Place | undefined;
  /** The address names this turn. */
  readonly linked?: boolean;
  /** Absent where no message is accepted. */
  readonly onSendAgain: ((content: string) => void) | undefined;
}

export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn } = props;
  return (
    <article
      aria-label={`Turn ${turn.sequence}`}
      aria-current={props.linked ? 'location' : undefined}
      data-turn={turn.id}
      className={cn('flex scroll-mt-6 flex-col gap-3', props.linked === true && '-mx-3 rounded-lg px-3 py-2 ring-2 ring-accent/40')}
    >
      <PersonMessage turn={turn} />
      <Answer {...props} />
      {turn.activity === 'over' ? <TurnFoot {...props} /> : <TurnStatus {...props} />}
    </article>
  );
});

function PersonMessage({ turn }: { readonly turn: ConversationTurn }) {
  return (
    <div className="ml-auto flex max-w-[85%] flex-col items-end gap-1">
      {turn.continues !== undefined && <Badge>continues from a checkpoint</Badge>}
      <div className="rounded-xl rounded-br-sm bg-accent-soft px-4 py-2.5 text-text forced-colors:border">
        <span className="sr-only">You: </span>
        <UntrustedText block text={turn.content} className="leading-relaxed" />
      </div>
    </div>
  );
}

function Answer({ turn, place }: TurnViewProps) {
  const groups = groupParts(turn.parts);
  const [chosen, setChosen] = useState<string>();
  const kept = useMinHeight(turn.activity !== 'over');
  const waiting =
    turn.activity === 'over'
      ? []
      : turn.parts.flatMap((part) => (part.type === 'approval' && part.decision === undefined ? part.name : []));
  const open = chosen !== undefined && waiting.includes(chosen) ? chosen : waiting[0];
  if (groups.length === 0 && turn.text === '' && turn.agent === undefined) return null;
  return (
    <div ref={kept}>
      <div className="flex flex-col gap-3">
        {turn.agent !== undefined && (
          <p className="flex items-center gap-1.5 text-sm font-medium text-muted">
            <Bot aria-hidden className="size-4 text-accent-text" />
            <UntrustedText text={turn.agent} />
          </p>
        )}
        {groups.map((group) => (
          <Part key={group.key} group={group} place={place} openApproval={open} onOpen={setChosen} />
        ))}
        {turn.text !== '' && <AnswerText text={turn.text} />}
      </div>
    </div>
  );
}

interface PartProps {
  readonly group: PartGroup;
  readonly place: Place | undefined;
  readonly openApproval: string | undefined;
  readonly onOpen: (name: string) => void;
}

function Part({ group, place, openApproval, onOpen }: PartProps) {
  if (group.type === 'calls') return <ToolCalls calls={group.calls} place={place} />;
  const { part } = group;
  switch (part.type) {
    case 'approval':
      return <ApprovalPartView part={part} place={place} open={part.name === openApproval} onOpen={() => onOpen(part.name)} />;
    case 'withdrawn':
      return part.reason === 'step' ? (
        <div className="border-l-2 border-border pl-3 text-muted">
          <AnswerText text={part.text} />
        </div>
      ) : (
        <Withdrawn text={part.text} reason={part.reason} />
      );
    case 'notice':
      return <Notice notice={part.notice} text={part.text} />;
  }
}

function Withdrawn({ text, reason }: { readonly text: string; readonly reason: string }) {
  return (
    <details className="rounded-md border border-dashed border-border px-3 py-1.5 text-sm text-muted">
      <summary className="cursor-pointer">Text withdrawn. {withdrawnReason(reason)}.</summary>
      <UntrustedText block text={text} className="mt-2 text-muted" />
    </details>
  );
}

const NOTICES = { retrying: 'The turn is retried', recovered: 'The turn continues from its last checkpoint', error: 'Error' } as const;

function Notice({ notice, text }: { readonly notice: keyof typeof NOTICES; readonly text: string }) {
  return (
    <p className="flex items-start gap-1.5 text-sm text-muted">
      {notice === 'error' ? (
        <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-danger" />
      ) : (
        <RotateCcw aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      )}
      <span>
        {NOTICES[notice]}
        {notice !== 'recovered' && text !== '' && (
          <>
            : <UntrustedText text={text} />
          </>
        )}
      </span>
    </p>
  );
}

/** State of a turn that was not over when it was exported. */
const UNFINISHED: TurnState = { label: 'Not over when it was exported', look: 'paused' };

function TurnStatus({ turn, place, ahead, held }: TurnViewProps) {
  const state = place ? turnState(turn, { ahead, held }) : UNFINISHED;
  if (!state) return null;
  const icons: Readonly<Record<typeof state.look, ReactNode>> = {
    busy: <Spinner className="size-3.5" />,
    waiting: <CircleUser aria-hidden className="size-3.5 text-waiting" />,
    paused: <CirclePause aria-hidden className="size-3.5" />,
  };
  return (
    <p data-turn-state className="flex items-center gap-2 text-sm text-muted">
      {icons[state.look]}
      <span className="min-w-0 truncate">{state.label}</span>
      {turn.startedAt !== undefined && state.look === 'busy' && <Duration from={turn.startedAt} className="text-faint" />}
    </p>
  );
}

function TurnFoot({ turn, place, onSendAgain }: TurnViewProps) {
  const { phase, task, usage, text, endedAt, startedAt, remarks = [] } = turn;
  return (
    <footer className="flex flex-col gap-2">
      {remarks.map((remark) => (
        <EndNote key={remark} note={remark} />
      ))}
      {phase === 'Failed' && (
        <div role="group" aria-label="Failure" className="flex flex-wrap items-center gap-2 rounded-md bg-danger-soft px-3 py-2 text-base">
          <CircleAlert aria-hidden className="size-4 shrink-0 text-danger" />
          <span className="min-w-0 flex-1">
            <UntrustedText text={turn.error ?? 'The turn failed'} />
          </span>
          {onSendAgain && (
            <Button size="sm" icon={<RotateCcw />} onClick={() => onSendAgain(turn.content)}>
              Send again
            </Button>
          )}
        </div>
      )}
      <div className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
        {phase === 'Cancelled' && <span className="text-muted">{cancelText(turn.cancelReason)}</span>}
        {endedAt !== undefined && <Time at={endedAt} sentence />}
        {startedAt !== undefined && endedAt !== undefined && <Duration from={startedAt} to={endedAt} />}
        {usage && <span className="tabular-nums">{formatNumber(usage.total_tokens)} tokens</span>}
        {place && task !== undefined && (
          <Link
            href={objectAddress({ kind: 'Task', namespace: place.namespace, name: task }, place.scope)}
            aria-label={`Run of turn ${turn.sequence}`}
          >
            Run
          </Link>
        )}
        {text !== '' && <CopyButton text={text} label="Copy the answer" />}
        {place && <CopyLinkButton href={turnAddress(place, turn.id)} label="Copy the link to this turn" />}
      </div>
    </footer>
  );
}

function cancelText(reason: string | undefined): string {
  if (reason === undefined || reason === '') return 'Cancelled';
  return reason === 'interrupted' ? 'Interrupted by a new message' : `Cancelled: ${reason}`;
}
