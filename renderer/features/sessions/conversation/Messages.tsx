// Messages of a conversation, opened at its end: rows, earlier ones on demand, and the way back to the newest.
import type { ForkOrigin } from '@svc/shared/sessions/conversation';
import { ArrowDown } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { textParam, useSearchState } from '../../../navigation/search-state.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { SessionView } from '../model/follow-session.ts';
import { rowsOf, type Row } from '../model/rows.ts';
import { SESSION, type Place } from '../model/session.ts';
import { noteText } from '../model/turn-text.ts';
import { TurnView } from './TurnView.tsx';
import type { PinnedScroll } from './use-pinned-scroll.ts';
import { LoadingSkeleton } from '../../../ui/feedback/Skeleton.tsx';

export interface MessagesProps {
  readonly view: SessionView;
  readonly place: Place | undefined;
  readonly scroll: PinnedScroll;
  /** In place of rows while there are none. */
  readonly empty: ReactNode;
  readonly onRetry: () => void;
  /** Absent where no message is accepted. */
  readonly onSendAgain: ((content: string) => void) | undefined;
}

/** Rows rendered at first: they fill a screen. */
const FIRST_ROWS = 8;
/** Rows added at the top by each step. */
const STEP_ROWS = 12;
const NEAR_TOP_PX = 200;

export function Messages(props: MessagesProps) {
  const { view, scroll, empty, onRetry } = props;
  const { conversation, phase, error } = view;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroll.scroller}
        onScroll={scroll.onScroll}
        tabIndex={0}
        role="group"
        aria-label="Messages"
        className="relative min-h-0 flex-1 overflow-y-auto -outline-offset-2"
      >
        <div ref={scroll.content} className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-6 py-6 max-sm:px-4">
          {phase === 'loading' && (
            <LoadingSkeleton label="Loading the conversation" className="gap-4" parts={['ml-auto h-12 w-1/2', 'h-24 w-full']} />
          )}
          {phase === 'failed' && <ErrorCard title="The conversation could not be loaded" error={error} onRetry={onRetry} />}
          {phase === 'following' && conversation.turns.length === 0 && empty}
          {phase !== 'loading' && <Rows {...props} rows={rowsOf(conversation)} />}
        </div>
      </div>
      {!scroll.atEnd && (
        <Button
          size="sm"
          icon={<ArrowDown />}
          onClick={scroll.toEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-overlay"
        >
          Newest message
        </Button>
      )}
    </div>
  );
}

interface RowsProps extends Pick<MessagesProps, 'place' | 'view' | 'scroll' | 'onSendAgain'> {
  readonly rows: readonly Row[];
}

const PARAMS = { turn: textParam };

const hasTurn =
  (id: string) =>
  (row: Row): boolean =>
    row.type === 'turn' ? row.turn.id === id : row.type === 'undone' && row.turns.some((turn) => turn.id === id);

/** The turn that the address names, once it is read: its row is rendered and scrolled to, once for each address. */
function useLinkedTurn({ place, rows, scroll }: RowsProps, { start, show }: { readonly start: number; readonly show: (row: Row) => void }) {
  const [{ turn }] = useSearchState(PARAMS);
  const shown = useRef<string>(undefined);
  const linked = place === undefined ? '' : turn;
  useEffect(() => {
    if (linked === '' || shown.current === linked) return;
    const at = rows.findIndex(hasTurn(linked));
    const row = rows[at];
    if (!row) return;
    if (at < start) show(row);
    else if (scroll.toElement(`[data-turn="${CSS.escape(linked)}"]`)) shown.current = linked;
  });
  return linked;
}

function Rows(props: RowsProps) {
  const { place, view, rows, scroll, onSendAgain } = props;
  // By key: earlier rows may come later, above.
  const [first, setFirst] = useState(() => (rows.at(-FIRST_ROWS) ?? rows[0])?.key);
  const found = first === undefined ? 0 : rows.findIndex(({ key }) => key === first);
  const start = found === -1 ? Math.max(0, rows.length - FIRST_ROWS) : found;
  const showEarlier = () => {
    scroll.keepPlace();
    setFirst(rows[Math.max(0, start - STEP_ROWS)]?.key);
  };
  const linked = useLinkedTurn(props, { start, show: ({ key }) => setFirst(key) });
  const turnOf = (row: Extract<Row, { type: 'turn' }>) => (
    <TurnView
      key={row.key}
      turn={row.turn}
      revision={row.turn.revision}
      ahead={row.ahead}
      held={view.conversation.phase === 'Paused'}
      place={place}
      linked={row.turn.id === linked}
      onSendAgain={onSendAgain}
    />
  );
  return (
    <>
      {start === 0 && view.partial && <p className="text-center text-sm text-muted">Earlier messages are being read</p>}
      {start > 0 && <Earlier count={start} onShow={showEarlier} />}
      {view.conversation.origin && start === 0 && !view.partial && <Origin origin={view.conversation.origin} place={place} />}
      {rows.slice(start).map((row): ReactNode => {
        if (row.type === 'turn') return turnOf(row);
        if (row.type === 'undone')
          return <Undone key={row.key} rows={row.turns.map((turn) => ({ type: 'turn', key: turn.id, turn, ahead: 0 }))} render={turnOf} />;
        return row.note.type === 'session.forked' ? null : <Note key={row.key} text={noteText(row.note)} at={row.note.at} />;
      })}
    </>
  );
}

/** Shows earlier rows by itself when it comes near the screen. */
function Earlier({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <div
      className="flex justify-center"
      ref={(element) => {
        if (!element) return undefined;
        const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onShow(), {
          root: element.closest('[aria-label="Messages"]'),
          rootMargin: `${NEAR_TOP_PX}px 0px 0px`,
        });
        observer.observe(element);
        return () => observer.disconnect();
      }}
    >
      <Button size="sm" variant="ghost" onClick={onShow}>
        Show earlier messages ({count})
      </Button>
    </div>
  );
}

function Origin({ origin: { namespace, name }, place }: { readonly origin: ForkOrigin; readonly place: Place | undefined }) {
  return (
    <p className="text-center text-sm text-muted">
      Forked from{' '}
      {place ? (
        <Link className="underline" href={objectAddress({ kind: SESSION, namespace, name }, place.scope)}>
          {name}
        </Link>
      ) : (
        <UntrustedText text={`${namespace}/${name}`} />
      )}
    </p>
  );
}

function Note({ text, at }: { readonly text: string; readonly at: string }) {
  return (
    <div className="flex items-center gap-3 text-sm text-muted">
      <span aria-hidden className="h-px flex-1 bg-border" />
      <span>
        {text} · <Time at={at} sentence />
      </span>
      <span aria-hidden className="h-px flex-1 bg-border" />
    </div>
  );
}

type TurnRow = Extract<Row, { type: 'turn' }>;

function Undone({ rows, render }: { readonly rows: readonly TurnRow[]; readonly render: (row: TurnRow) => ReactNode }) {
  const [open, setOpen] = useState(false);
  const count = rows.length === 1 ? '1 turn' : `${rows.length} turns`;
  return (
    <div className="flex flex-col gap-6 rounded-md border border-dashed border-border px-4 py-2">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className="text-left text-sm text-muted hover:text-text">
        {count} undone by a rewind. {open ? 'Hide' : 'Show'}
      </button>
      {open && rows.map(render)}
    </div>
  );
}
