// One result: outcome, output, metrics, thumb and note.
import type { ExperimentResult, Thumb } from '@svc/shared/api/experiments';
import { RESULT_TEXT_MAX } from '@svc/shared/kinds/experiment/limits';
import { ExternalLink, MessageSquareText, ThumbsDown, ThumbsUp } from 'lucide-react';
import { Suspense } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { cn } from '../../../ui/cn.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';

const WordDiff = lazyPart(async () => (await import('../../../editor/WordDiff.tsx')).WordDiff);

export interface ResultCellProps {
  /** Undefined for a run that has not begun. */
  readonly cell: ExperimentResult | undefined;
  /** Result that changes are marked against. */
  readonly first: ExperimentResult | undefined;
  /** Name of the place in the table. */
  readonly place: string;
  readonly label: string;
  readonly focusable: boolean;
  readonly unfolded: boolean;
  readonly namespace: string;
  readonly cannotRate: string | undefined;
  readonly onFocus: () => void;
  readonly onUnfold: () => void;
  readonly onRate: (thumb: Thumb) => void;
  readonly onNote: () => void;
}

export function ResultCell(props: ResultCellProps) {
  const { cell, place, label, focusable, onFocus } = props;
  return (
    <td
      data-cell={place}
      aria-label={`${label}: ${cell?.outcome ?? 'not begun'}`}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      className="border-l border-border px-3 py-2 outline-offset-[-2px] focus-visible:outline-2 focus-visible:outline-accent"
    >
      {cell ? <Body {...props} cell={cell} /> : <span className="text-muted">not begun</span>}
    </td>
  );
}

type BodyProps = ResultCellProps & { readonly cell: ExperimentResult };

function Body(props: BodyProps) {
  const { cell, namespace } = props;
  const { scope } = useScope();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2">
        <PhasePill phase={cell.outcome} kind="Task" look="quiet" />
        <Metrics cell={cell} />
        {cell.task !== null && (
          <Link
            href={objectAddress({ kind: 'Task', namespace, name: cell.task }, scope)}
            look="quiet"
            className="ml-auto inline-flex items-center gap-1 text-sm"
            aria-label={`Open the run ${cell.task}`}
          >
            Run <ExternalLink aria-hidden className="size-3" />
          </Link>
        )}
      </div>
      <Text {...props} />
      <Judgement {...props} />
    </div>
  );
}

function Metrics({ cell }: { readonly cell: ExperimentResult }) {
  const { tokens, cost_usd: cost, active_ms: ms } = cell;
  const parts = [
    ...(tokens === null ? [] : [`${formatNumber(tokens)} tokens`]),
    ...(cost === null ? [] : [formatCost(cost)]),
    ...(ms === null ? [] : [formatDuration(ms)]),
  ];
  return <span className="text-sm text-muted tabular-nums">{parts.join(' · ')}</span>;
}

function Text({ cell, first, unfolded, onUnfold }: BodyProps) {
  const text = cell.output ?? cell.error;
  if (text === null) return null;
  const compared = first?.output != null && cell.output !== null;
  const cut = cell.output !== null && cell.output_chars > RESULT_TEXT_MAX;
  return (
    <>
      {/* The keyboard unfolds by Enter on the cell. */}
      <div onClick={onUnfold} className={cn('min-w-0', !unfolded && 'line-clamp-6 cursor-pointer', cell.output === null && 'text-danger')}>
        {compared ? (
          <Suspense fallback={<Skeleton />}>
            <WordDiff before={first.output ?? ''} after={text} />
          </Suspense>
        ) : (
          <UntrustedText block text={text} />
        )}
      </div>
      {cut && unfolded && (
        <p className="text-sm text-muted">
          The first {formatNumber(RESULT_TEXT_MAX)} of {formatNumber(cell.output_chars)} characters. The run has all of it.
        </p>
      )}
    </>
  );
}

function Judgement({ cell, cannotRate, onRate, onNote }: BodyProps) {
  const { thumb = null, note = null, by } = cell.rating ?? {};
  const button = (which: Thumb) => ({
    size: 'sm' as const,
    tabIndex: -1,
    disabledReason: cannotRate,
    'aria-pressed': thumb === which,
    onClick: () => onRate(which),
  });
  return (
    <div className="flex min-w-0 items-start gap-1">
      <IconButton
        label="Thumb up"
        shortcut="+"
        icon={<ThumbsUp />}
        {...button('up')}
        className={cn(thumb === 'up' && 'bg-ok-soft text-ok')}
      />
      <IconButton
        label="Thumb down"
        shortcut="-"
        icon={<ThumbsDown />}
        {...button('down')}
        className={cn(thumb === 'down' && 'bg-danger-soft text-danger')}
      />
      <IconButton
        label={note === null ? 'Write a note' : 'Change the note'}
        shortcut="n"
        icon={<MessageSquareText />}
        size="sm"
        tabIndex={-1}
        disabledReason={cannotRate}
        onClick={onNote}
      />
      {note !== null && (
        <p className="min-w-0 self-center text-sm [overflow-wrap:anywhere]" title={by === undefined ? undefined : `by ${by}`}>
          <UntrustedText text={note} />
        </p>
      )}
    </div>
  );
}
