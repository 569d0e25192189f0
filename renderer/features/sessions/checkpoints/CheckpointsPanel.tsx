// Checkpoints of a Session beside its conversation: newest first, by turn, with what can be done from each.
import type { Checkpoint } from '@svc/shared/api/sessions';
import type { ForkOrigin } from '@svc/shared/sessions/conversation';
import { useQuery } from '@tanstack/react-query';
import { EllipsisVertical, GitCompareArrows, GitFork, History, ListChecks, Undo2 } from 'lucide-react';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { api, client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { Menu } from '../../../ui/overlay/Menu.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { byTurn, SAFE_POINT_TEXTS, shortHash, type TurnCheckpoints } from '../model/checkpoints.ts';
import type { SessionView } from '../model/follow-session.ts';
import { SESSION, type Session } from '../model/session.ts';

export interface CheckpointsPanelProps {
  readonly session: Session;
  /** Conversation so far; its `version` changes with every change. */
  readonly view: SessionView;
}

type Act = 'rewind' | 'fork' | 'replay' | 'compare';

interface Chosen {
  readonly act: Act;
  readonly checkpoint: Checkpoint;
  /** Second checkpoint of a comparison. */
  readonly against?: { readonly id: string; readonly session?: string };
}

const CheckpointAction = lazyPart(async () => (await import('./CheckpointAction.tsx')).CheckpointAction);

export function CheckpointsPanel({ session, view }: CheckpointsPanelProps) {
  const { namespace, name } = session.metadata;
  const { scope } = useScope();
  const { conversation } = view;
  const query = useQuery(api.checkpoints.list.queryOptions({ namespace, name }));
  const { refetch } = query;
  const [chosen, setChosen] = useState<Chosen>();
  const [comparing, setComparing] = useState<Checkpoint>();
  const marks = [...conversation.checkpoints.values()];
  // One that is made may prune another, which leaves the count as it was.
  const newest = marks.at(-1)?.seq;
  const kept = marks.filter(({ pruned }) => !pruned).length;
  const { phase } = conversation;
  // New checkpoints and a rewind arrive as events; the list has what events lack, such as the agent.
  useEffect(() => void refetch(), [refetch, newest, kept, phase]);
  const act = (kind: Act, checkpoint: Checkpoint) => {
    if (kind !== 'compare') return setChosen({ act: kind, checkpoint });
    setComparing(checkpoint);
    announce('Choose the checkpoint to compare with');
  };
  const choose = (checkpoint: Checkpoint) => {
    if (!comparing || comparing.id === checkpoint.id) return showTurn(checkpoint.turn_id);
    setChosen({ act: 'compare', checkpoint: comparing, against: { id: checkpoint.id } });
    setComparing(undefined);
  };
  const { origin } = conversation;
  const groups = query.data ? byTurn(query.data.items, conversation.turns) : [];
  return (
    <div className="flex flex-col">
      <header className="flex flex-col gap-1 border-b border-border px-4 py-3">
        <h2 className="text-md font-semibold">Checkpoints</h2>
        <p className="text-sm text-muted">Places to go back to, or to branch from.</p>
        {origin && <Origin origin={origin} scope={scope} newest={query.data?.items[0]} onCompare={setChosen} />}
      </header>
      {comparing && (
        <Banner tone="info" onDismiss={() => setComparing(undefined)}>
          Choose the checkpoint to compare with.
        </Banner>
      )}
      <QueryState query={query} title="The checkpoints could not be loaded" skeleton="h-24" className="m-4" />
      {query.data?.items.length === 0 && (
        <EmptyState cause="none" icon={<History />} title="No checkpoints yet">
          One is made after each step of an agent, after each agent, and after each turn.
        </EmptyState>
      )}
      {groups.length > 0 && <CheckpointList groups={groups} comparing={comparing} onChoose={choose} onAct={act} />}
      {chosen && <CheckpointAction session={session} conversation={conversation} {...chosen} onClose={() => setChosen(undefined)} />}
    </div>
  );
}

interface OriginProps {
  readonly origin: ForkOrigin;
  readonly scope: string;
  readonly newest: Checkpoint | undefined;
  readonly onCompare: (chosen: Chosen) => void;
}

function Origin({ origin: { namespace, name, checkpointId }, scope, newest, onCompare }: OriginProps) {
  const compare = async (checkpoint: Checkpoint) => {
    // A deleted origin has no list; the comparison then reports that.
    const list = await client.checkpoints.list.query({ namespace, name }).catch(() => undefined);
    onCompare({ act: 'compare', checkpoint, against: { id: list?.items[0]?.id ?? checkpointId, session: `${namespace}/${name}` } });
  };
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
      <span>
        Forked from{' '}
        <Link className="underline" href={objectAddress({ kind: SESSION, namespace, name }, scope)}>
          {name}
        </Link>
      </span>
      {newest && (
        <Button size="sm" variant="ghost" icon={<GitCompareArrows />} onClick={() => void compare(newest)}>
          Compare with origin
        </Button>
      )}
    </p>
  );
}

/** Brings a turn to the screen and marks it for a moment. Turns further up are not rendered before somebody scrolls there. */
function showTurn(id: string): void {
  const turn = document.querySelector(`[data-turn="${CSS.escape(id)}"]`);
  if (!turn) return announce('This turn is further up in the conversation');
  turn.scrollIntoView({ block: 'start' });
  turn.animate(
    [
      { outline: '2px solid var(--color-accent)', outlineOffset: '8px' },
      { outline: '2px solid transparent', outlineOffset: '8px' },
    ],
    1_500,
  );
}

interface ListProps {
  readonly groups: readonly TurnCheckpoints[];
  readonly comparing: Checkpoint | undefined;
  readonly onChoose: (checkpoint: Checkpoint) => void;
  readonly onAct: (act: Act, checkpoint: Checkpoint) => void;
}

/** Arrow keys move between the rows. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement) || event.target.dataset['checkpoint'] === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-checkpoint]')];
  rows[rows.indexOf(event.target) + step]?.focus();
  event.preventDefault();
}

function CheckpointList({ groups, comparing, onChoose, onAct }: ListProps) {
  return (
    <ol aria-label="Checkpoints, newest first" className="flex flex-col py-2" onKeyDown={moveFocus}>
      {groups.map(({ turnId, turn, checkpoints }) => (
        <li key={turnId} className="px-2 py-1">
          <h3 className="flex items-baseline gap-2 px-2 py-1 text-sm font-medium text-muted">
            <span className="shrink-0">{turn === undefined ? 'Earlier turn' : `Turn ${turn.sequence}`}</span>
            {turn !== undefined && <UntrustedText text={turn.content.slice(0, 80)} className="min-w-0 truncate font-normal text-faint" />}
          </h3>
          <ul className="flex flex-col border-l border-border ml-3">
            {checkpoints.map((checkpoint) => (
              <Row
                key={checkpoint.id}
                checkpoint={checkpoint}
                undone={turn?.undone === true}
                comparing={comparing}
                onChoose={onChoose}
                onAct={onAct}
              />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

interface RowProps extends Omit<ListProps, 'groups'> {
  readonly checkpoint: Checkpoint;
  /** A rewind took its turn out of the conversation. */
  readonly undone: boolean;
}

function Row({ checkpoint, undone, comparing, onChoose, onAct }: RowProps) {
  const { reason } = useCanWrite();
  const { safe_point: point, agent, state_hash: hash, created_at: at } = checkpoint;
  const isBase = comparing?.id === checkpoint.id;
  return (
    <li className="flex items-center gap-1">
      <button
        type="button"
        data-checkpoint={checkpoint.id}
        aria-pressed={comparing ? isBase : undefined}
        onClick={() => onChoose(checkpoint)}
        className={cn(
          'flex min-w-0 flex-1 flex-col rounded-md px-3 py-1.5 text-left -outline-offset-2 hover:bg-hover',
          isBase && 'bg-accent-soft',
        )}
      >
        <span className="flex items-baseline gap-2">
          <span className="font-medium">{SAFE_POINT_TEXTS[point]}</span>
          {undone && <span className="text-sm text-muted">Undone</span>}
          <span className="ml-auto shrink-0 text-sm text-faint">
            <Time at={at} sentence />
          </span>
        </span>
        <span className="flex items-baseline gap-2 text-sm text-muted">
          <UntrustedText text={agent} className="min-w-0 truncate" />
          <code className="ml-auto shrink-0 font-mono text-faint" title={`SHA-256 ${hash}`}>
            {shortHash(hash)}
          </code>
        </span>
      </button>
      <Menu
        align="end"
        trigger={<IconButton size="sm" label={`Actions of checkpoint ${shortHash(hash)}`} icon={<EllipsisVertical />} />}
        items={[
          {
            id: 'rewind',
            label: 'Rewind to here…',
            icon: <Undo2 />,
            disabledReason: reason,
            onSelect: () => onAct('rewind', checkpoint),
          },
          { id: 'fork', label: 'Fork from here…', icon: <GitFork />, disabledReason: reason, onSelect: () => onAct('fork', checkpoint) },
          'separator',
          { id: 'compare', label: 'Compare with…', icon: <GitCompareArrows />, onSelect: () => onAct('compare', checkpoint) },
          { id: 'replay', label: 'Verify the record', icon: <ListChecks />, onSelect: () => onAct('replay', checkpoint) },
        ]}
      />
    </li>
  );
}
