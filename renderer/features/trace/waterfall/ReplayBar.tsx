// Replays a recorded trace: play and pause, speed, steps from event to event, and a slider.
import { ChevronFirst, ChevronLast, Pause, Play, Radio, StepBack, StepForward } from 'lucide-react';
import { useMemo, type KeyboardEvent } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Duration } from '../../../ui/status/Duration.tsx';
import { formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { density, SPEEDS } from '../model/replay-clock.ts';
import type { TimeScale } from './time-scale.ts';
import type { Replay } from '../model/use-replay.ts';
import type { RunTrace } from '../model/use-run-trace.ts';

export interface ReplayBarProps {
  readonly trace: RunTrace;
  readonly replay: Replay;
  /** Time scale of the whole run, idle stretches folded. */
  readonly scale: TimeScale;
  readonly origin: number;
}

const SLIDER_MAX = 1000;
const DENSITY_BINS = 160;
const SPEED_OPTIONS = SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}×` }));

/** Keys of the replay; returns true for one of them. The waterfall passes on its unused keys. */
export function replayKey(event: KeyboardEvent, replay: Replay): boolean {
  if (event.key === ' ') {
    if (replay.playing) replay.pause();
    else replay.play();
    return true;
  }
  return false;
}

function sliderKey(event: KeyboardEvent, replay: Replay): boolean {
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: () => replay.step(1),
    ArrowUp: () => replay.step(1),
    ArrowLeft: () => replay.step(-1),
    ArrowDown: () => replay.step(-1),
    Home: replay.toStart,
    End: replay.toEnd,
  };
  const act = keys[event.key];
  act?.();
  return act !== undefined || replayKey(event, replay);
}

export function ReplayBar({ trace, replay, scale, origin }: ReplayBarProps) {
  const { store, version, live } = trace;
  const bins = useMemo(() => (version >= 0 ? density(store.times, scale.place, DENSITY_BINS) : []), [store, version, scale]);
  const most = Math.max(1, ...bins);
  const total = store.entries.length;
  const moment = replay.moment ?? store.times.at(-1) ?? origin;
  const offset = formatDuration(Math.max(0, moment - origin));
  const value = replay.atEnd ? SLIDER_MAX : Math.round(Math.min(1, Math.max(0, scale.place(moment))) * SLIDER_MAX);
  const positionText = replay.atEnd && live ? 'Live' : `Event ${replay.position} of ${total}, ${offset} in`;
  return (
    <div
      role="group"
      aria-label="Replay"
      className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-t border-border bg-surface px-4 py-1.5"
    >
      <PlayButtons replay={replay} />
      <Select
        aria-label="Speed"
        className="w-20"
        value={String(replay.speed)}
        options={SPEED_OPTIONS}
        onChange={(speed) => replay.setSpeed(Number(speed))}
      />
      <div className="relative h-8 min-w-40 flex-1">
        <svg viewBox={`0 0 ${DENSITY_BINS} 20`} preserveAspectRatio="none" aria-hidden className="absolute inset-x-0 top-0 h-5 w-full">
          <path d={densityPath(bins, most)} className="fill-neutral" opacity={0.45} />
        </svg>
        <input
          type="range"
          aria-label="Place in the trace"
          aria-valuetext={positionText}
          min={0}
          max={SLIDER_MAX}
          value={value}
          disabled={total === 0}
          onChange={(event) =>
            Number(event.target.value) >= SLIDER_MAX ? replay.toEnd() : replay.seek(scale.moment(Number(event.target.value) / SLIDER_MAX))
          }
          onKeyDown={(event) => {
            if (!sliderKey(event, replay)) return;
            event.preventDefault();
            event.stopPropagation();
          }}
          className="absolute inset-x-0 bottom-0 h-5 w-full cursor-pointer accent-accent"
        />
      </div>
      <span className="min-w-36 text-right text-sm text-muted tabular-nums">
        {formatNumber(replay.position)} of {formatNumber(total)} · {replay.atEnd && live ? <Duration from={origin} /> : offset}
      </span>
      {live && (
        <Button
          size="sm"
          variant={replay.atEnd ? 'ghost' : 'secondary'}
          icon={<Radio className={cn(replay.atEnd && 'text-running')} />}
          aria-pressed={replay.atEnd}
          onClick={replay.toEnd}
        >
          Live
        </Button>
      )}
    </div>
  );
}

function PlayButtons({ replay }: { readonly replay: Replay }) {
  return (
    <div className="flex items-center">
      <IconButton size="sm" label="To the start" icon={<ChevronFirst />} onClick={replay.toStart} />
      <IconButton size="sm" label="Previous event" icon={<StepBack />} onClick={() => replay.step(-1)} />
      <IconButton
        label={replay.playing ? 'Pause' : 'Play'}
        icon={replay.playing ? <Pause /> : <Play />}
        onClick={replay.playing ? replay.pause : replay.play}
      />
      <IconButton size="sm" label="Next event" icon={<StepForward />} onClick={() => replay.step(1)} />
      <IconButton size="sm" label="To the end" icon={<ChevronLast />} onClick={replay.toEnd} />
    </div>
  );
}

function densityPath(bins: readonly number[], most: number): string {
  return bins.map((count, index) => (count === 0 ? '' : `M${index} 20V${(20 - 18 * Math.sqrt(count / most)).toFixed(1)}h1V20Z`)).join('');
}
