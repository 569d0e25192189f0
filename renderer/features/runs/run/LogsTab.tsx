// The log of a run: all its lines, followed while it runs, searched by text or pattern.
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronUp, Download, Regex } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useFindKey } from '../../../shortcuts/use-find-key.ts';
import { flagParam, typedParam, useFilterState } from '../../../navigation/search-state.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { download } from '../../../ui/text/large-text.ts';
import { PRINTED_ROWS, PrintedPart, usePrintedRange } from '../../../ui/table/printing.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Switch } from '../../../ui/input/Switch.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { matching, type LogLine } from './log-lines.ts';
import type { Run } from '../model/run.ts';
import { useLineTest } from './use-line-test.ts';
import { useRunLogs, type RunLogs } from './use-run-logs.ts';

const PARAMS = { grep: typedParam, regex: flagParam };
const LINE_PX = 22;
/** Length of one line; the download has the whole. */
const LINE_CHARS = 4_000;

export function LogsTab({ run }: { readonly run: Run }) {
  const logs = useRunLogs(run);
  const { lines } = logs;
  const [{ grep: find, regex }, setSearch] = useFilterState(PARAMS);
  const { test, problem } = useLineTest(find, regex);
  const hits = useMemo(() => matching(lines, test), [lines, test]);
  const [at, setAt] = useState(0);
  const [follow, setFollow] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: useCallback(() => scroller.current, []),
    estimateSize: useCallback(() => LINE_PX, []),
    overscan: 30,
    rangeExtractor: usePrintedRange(),
  });
  useEffect(() => {
    if (follow && find === '' && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [follow, find, lines.length, virtual]);
  const go = (to: number) => {
    const hit = hits[(to + hits.length) % hits.length];
    setAt((to + hits.length) % Math.max(1, hits.length));
    setFollow(false);
    if (hit !== undefined) virtual.scrollToIndex(hit, { align: 'center' });
  };
  const current = Math.min(at, hits.length - 1);
  return (
    <div className="flex h-[max(24rem,calc(100dvh-17rem))] flex-col print:h-auto">
      <div role="group" aria-label="Log" className="flex flex-wrap items-center gap-2 px-6 py-2 max-sm:px-4">
        <LogSearch
          find={find}
          regex={regex}
          problem={problem}
          onFind={(text) => setSearch({ grep: text })}
          onRegex={() => setSearch({ regex: !regex })}
          onNext={(by) => go(current + by)}
        />
        <Matches find={find} known={test !== undefined} current={current} count={hits.length} onGo={go} />
        <span className="flex-1" />
        <span className="text-sm text-muted tabular-nums">{formatNumber(lines.length)} lines</span>
        <Switch label="Follow" checked={follow} onChange={setFollow} />
        <Button
          size="sm"
          icon={<Download />}
          onClick={() => download(`${run.metadata.name}.log`, `${lines.map(({ text }) => text).join('\n')}\n`)}
        >
          Download
        </Button>
      </div>
      <LogState logs={logs} />
      {lines.length > 0 && (
        <Lines
          virtual={virtual}
          scroller={scroller}
          lines={lines}
          hits={new Set(hits)}
          current={hits[current]}
          onAway={() => setFollow(false)}
        />
      )}
    </div>
  );
}

interface MatchesProps {
  readonly find: string;
  /** Whether the search text is valid, and its search is loaded. */
  readonly known: boolean;
  readonly current: number;
  readonly count: number;
  readonly onGo: (to: number) => void;
}

function Matches({ find, known, current, count, onGo }: MatchesProps) {
  return (
    <>
      {find !== '' && known && (
        <span role="status" className="text-sm text-muted tabular-nums">
          {count === 0 ? 'No line matches' : `${formatNumber(current + 1)} of ${formatNumber(count)}`}
        </span>
      )}
      {count > 0 && (
        <>
          <IconButton size="sm" label="Previous match" icon={<ChevronUp />} onClick={() => onGo(current - 1)} />
          <IconButton size="sm" label="Next match" icon={<ChevronDown />} onClick={() => onGo(current + 1)} />
        </>
      )}
    </>
  );
}

/** State of the log besides its lines. */
function LogState({ logs: { lines, loading, full, error, retry } }: { readonly logs: RunLogs }) {
  return (
    <>
      {error !== null && <ErrorCard className="mx-6 mb-3" title="The rest of the log could not be loaded" error={error} onRetry={retry} />}
      {full && <p className="px-6 pb-2 text-sm text-warn">The log is longer than what is shown here; npx svcctl logs has all of it.</p>}
      {lines.length === 0 && loading && error === null && <Skeleton className="m-6 h-24" />}
      {lines.length === 0 && !loading && error === null && (
        <EmptyState cause="none" title="No log yet">
          Log lines appear when a worker starts the run.
        </EmptyState>
      )}
    </>
  );
}

interface LogSearchProps {
  readonly find: string;
  readonly regex: boolean;
  readonly problem: string | undefined;
  readonly onFind: (text: string) => void;
  readonly onRegex: () => void;
  readonly onNext: (by: 1 | -1) => void;
}

function LogSearch({ find, regex, problem, onFind, onRegex, onNext }: LogSearchProps) {
  const field = useFindKey('logs.search', 'Find in the log');
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onNext(event.shiftKey ? -1 : 1);
  };
  return (
    <span className="relative flex items-center gap-1">
      <Input
        ref={field}
        type="search"
        mono
        className="w-64"
        aria-label="Find in the log"
        placeholder="Find…"
        value={find}
        aria-invalid={problem !== undefined || undefined}
        onChange={(event) => onFind(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <IconButton
        label="Regular expression"
        icon={<Regex />}
        aria-pressed={regex}
        onClick={onRegex}
        className={cn(regex && 'bg-accent-soft text-accent-text')}
      />
      {problem !== undefined && (
        <span
          role="alert"
          className="absolute top-full left-0 z-20 mt-1 rounded-md bg-raised px-2 py-1 text-sm whitespace-nowrap text-danger shadow-overlay"
        >
          {problem}
        </span>
      )}
    </span>
  );
}

interface LinesProps {
  readonly virtual: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly lines: readonly LogLine[];
  readonly hits: ReadonlySet<number>;
  readonly current: number | undefined;
  readonly onAway: () => void;
}

const LEVEL_STYLE = { error: 'border-danger bg-danger-soft', warn: 'border-warn bg-warn-soft' } as const;

function Lines({ virtual, scroller, lines, hits, current, onAway }: LinesProps) {
  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Lines of the log"
      aria-live="off"
      tabIndex={0}
      onWheel={(event) => event.deltaY < 0 && onAway()}
      className="min-h-0 flex-1 overflow-auto border-t border-border bg-sunken py-1 font-mono text-sm -outline-offset-2"
    >
      <div {...PRINTED_ROWS} className="relative min-w-max" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index] as LogLine;
          return (
            <div
              key={item.key}
              data-index={item.index}
              className={cn(
                'absolute top-0 left-0 flex w-full gap-3 border-l-2 border-transparent px-3 leading-[22px] whitespace-pre',
                line.level && LEVEL_STYLE[line.level],
                hits.has(item.index) && 'bg-mark text-on-mark',
                item.index === current && 'outline-2 -outline-offset-2 outline-focus',
              )}
              style={{ transform: `translateY(${item.start}px)`, height: LINE_PX }}
            >
              <span className={cn('shrink-0', hits.has(item.index) ? '' : 'text-faint')}>{line.at.slice(11, -1)}</span>
              <UntrustedText text={line.text.slice(line.bodyAt, line.bodyAt + LINE_CHARS)} className="[overflow-wrap:normal]" />
            </div>
          );
        })}
      </div>
      <PrintedPart loaded={lines.length} total={lines.length} />
    </div>
  );
}
