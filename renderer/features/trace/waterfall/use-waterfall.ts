// Values that the waterfall computes from a trace and its settings: rows, the scale of time, idle stretches, the critical path.
import { useEffect, useMemo, useState } from 'react';
import { useNow } from '../../../ui/status/clock.ts';
import { criticalPath } from './critical-path.ts';
import { idleStretches, type Stretch } from '../model/idle.ts';
import { choicesOf, nameMatches, traceRows, type RowFilter } from './rows.ts';
import type { RowView } from './TraceRow.tsx';
import type { Span } from '../model/spans.ts';
import { timeScale } from './time-scale.ts';
import { traceStats } from './trace-stats.ts';
import type { TraceSearch } from '../model/trace-search.ts';
import type { Replay } from '../model/use-replay.ts';
import type { RunTrace } from '../model/use-run-trace.ts';

const LIVE_TICK_MS = 500;
const STILL_TICK_MS = 3_600_000;

/** Now, while the run is open; otherwise the end of the record. */
export function useTraceNow({ store, live }: RunTrace): number {
  const goesOn = live && store.fold.root?.end === undefined;
  const tick = useNow(goesOn ? LIVE_TICK_MS : STILL_TICK_MS);
  return goesOn ? Math.max(store.fold.now, tick) : store.fold.now;
}

export function useWaterfall(trace: RunTrace, replay: Replay, search: TraceSearch) {
  const { store, version } = trace;
  const { fold } = store;
  const now = useTraceNow(trace);
  const [zoom, setZoom] = useState<Stretch | undefined>();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const origin = fold.root?.start ?? 0;
  const window = useMemo(() => ({ start: origin, end: Math.max(now, origin + 1) }), [origin, now]);
  const idle = useMemo(() => (version >= 0 ? idleStretches(fold.spans, window) : []), [fold, version, window]);
  const scale = useMemo(() => timeScale({ window, zoom, idle: search.idle === 'folded' ? idle : [] }), [window, zoom, idle, search.idle]);
  // The replay and the overview show the whole run, whatever part the waterfall shows.
  const whole = useMemo(
    () => timeScale({ window: { start: origin, end: Math.max(fold.now, origin + 1) }, idle }),
    [origin, fold.now, idle],
  );
  const { idle: played } = replay;
  useEffect(() => {
    played.current = idle;
  }, [played, idle]);
  const filter = useMemo<RowFilter>(
    () => ({ failed: search.failed, agent: search.agent, tool: search.tool, branch: search.branch, text: search.find }),
    [search.failed, search.agent, search.tool, search.branch, search.find],
  );
  const rows = useMemo(
    () =>
      version >= 0
        ? traceRows(fold, { grouping: search.group, detail: search.detail, filter, folded, matchesText: textMatcher(trace) })
        : [],
    [fold, version, search.group, search.detail, filter, folded, trace],
  );
  const critical = useMemo(
    () => (search.critical && version >= 0 ? criticalPath(fold.root, now) : undefined),
    [search.critical, fold, version, now],
  );
  const choices = useMemo(() => choicesOf(version >= 0 ? fold.spans : []), [fold, version]);
  const view = useMemo<RowView>(
    () => ({ scale, now, origin, moment: replay.moment, critical, version }),
    [scale, now, origin, replay.moment, critical, version],
  );
  const byPlace = useMemo(() => spanOfPlace(version >= 0 ? fold.spans : []), [fold, version]);
  const current = replay.atEnd ? undefined : byPlace.get(replay.position - 1);
  const stats = useMemo(() => (version >= 0 ? traceStats(fold, now) : undefined), [fold, version, now]);
  return { rows, view, whole, stats, choices, filter, zoom, setZoom, setFolded, current };
}

/** Names first; then messages, inputs and outputs of the span itself. */
function textMatcher({ store }: RunTrace) {
  return (span: Span, text: string): boolean => {
    if (nameMatches(span, text)) return true;
    const wanted = text.toLowerCase();
    return span.entries.some((place) => {
      const { message, input, output } = store.entries[place] ?? {};
      return [message, input, output].some((each) => textOf(each).includes(wanted));
    });
  };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase();
}

/** Innermost span of every entry. */
function spanOfPlace(spans: readonly Span[]): ReadonlyMap<number, Span> {
  const places = new Map<number, Span>();
  for (const span of spans) for (const place of span.entries) places.set(place, span);
  return places;
}
