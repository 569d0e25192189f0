// Zoom of the waterfall in steps, by keys and buttons, around the active row.
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { formatDuration } from '../../../ui/status/format.ts';
import type { Stretch } from '../model/idle.ts';
import type { Row } from './rows.ts';
import type { RowView } from './TraceRow.tsx';
import { zoomStep } from './time-scale.ts';

export interface ZoomSteps {
  readonly zoomIn: () => void;
  /** Absent while the whole run is visible, as `all` is. */
  readonly zoomOut: (() => void) | undefined;
  readonly all: (() => void) | undefined;
}

export interface Zooming {
  readonly view: RowView;
  readonly zoom: Stretch | undefined;
  readonly setZoom: (zoom: Stretch | undefined) => void;
}

const STEP = 2;

export function useZoomSteps({ view, zoom, setZoom }: Zooming, row: Row | undefined): ZoomSteps {
  const { scale, origin, now } = view;
  const show = (next: Stretch | undefined) => {
    setZoom(next);
    const text = (at: number) => formatDuration(Math.max(0, at - origin));
    announce(next === undefined ? 'The whole run is shown.' : `Zoomed to ${text(next.start)} to ${text(next.end)}.`);
  };
  const step = (share: number) => {
    const window = { start: origin, end: Math.max(now, origin + 1) };
    show(zoomStep(scale, { window, around: middleOf(row, now) ?? scale.moment(0.5), share }));
  };
  const zoomIn = () => step(1 / STEP);
  const zoomOut = () => step(STEP);
  const zoomed = zoom !== undefined;
  useShortcut({ id: 'trace.zoomIn', keys: '+', label: 'Zoom in on the row', run: zoomIn });
  useShortcut({ id: 'trace.zoomOut', keys: '-', label: 'Zoom out', when: zoomed, run: zoomOut });
  return { zoomIn, zoomOut: zoomed ? zoomOut : undefined, all: zoomed ? () => show(undefined) : undefined };
}

function middleOf(row: Row | undefined, now: number): number | undefined {
  if (row === undefined) return undefined;
  const spans = row.type === 'span' ? [row.span] : row.spans;
  const [first] = spans;
  if (first === undefined) return undefined;
  const end = Math.max(...spans.map((span) => span.end ?? now));
  return (first.start + end) / 2;
}
