// Position in a trace: at its end, or anywhere before it, advancing by itself during a replay.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Stretch } from './idle.ts';
import { advance, positionAt, stepFrom } from './replay-clock.ts';
import type { RunTrace } from './use-run-trace.ts';

export interface Replay {
  /** Number of entries that have happened; all of them at the end. */
  readonly position: number;
  /** Shows all entries, and follows new ones. */
  readonly atEnd: boolean;
  /** The shown time; undefined at the end. */
  readonly moment: number | undefined;
  readonly playing: boolean;
  readonly speed: number;
  readonly play: () => void;
  readonly pause: () => void;
  readonly setSpeed: (speed: number) => void;
  /** Moves to a time of the run. */
  readonly seek: (at: number) => void;
  readonly step: (direction: 1 | -1) => void;
  readonly toStart: () => void;
  readonly toEnd: () => void;
  /** Stretches that the replay skips; set by the waterfall, which computes them. */
  readonly idle: { current: readonly Stretch[] };
}

const TICK_MS = 50;
/** With reduced motion the picture changes in calm steps. */
const CALM_TICK_MS = 500;

function prefersCalm(): boolean {
  return typeof window.matchMedia === 'function' && window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

export function useReplay({ store }: RunTrace): Replay {
  const { times } = store;
  const [moment, setMoment] = useState<number | undefined>(undefined);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const idle = useRef<readonly Stretch[]>([]);
  const [known, setKnown] = useState(store);
  if (known !== store) {
    setKnown(store);
    setMoment(undefined);
    setPlaying(false);
  }
  useEffect(() => {
    if (!playing) return;
    const tickMs = prefersCalm() ? CALM_TICK_MS : TICK_MS;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      const passed = (now - last) * speed;
      last = now;
      setMoment((at) => {
        const next = advance(at ?? times[0] ?? 0, passed, idle.current);
        return next >= (times.at(-1) ?? 0) ? undefined : next;
      });
    }, tickMs);
    return () => clearInterval(timer);
  }, [playing, speed, times]);
  // The replay stops at the end.
  const [wasMoment, setWasMoment] = useState(moment);
  if (wasMoment !== moment) {
    setWasMoment(moment);
    if (moment === undefined && playing) setPlaying(false);
  }
  const goTo = useCallback((at: number | undefined) => {
    setPlaying(false);
    setMoment(at);
  }, []);
  const position = moment === undefined ? times.length : positionAt(times, moment);
  const step = useCallback(
    (direction: 1 | -1) => {
      const to = stepFrom(times, position, direction);
      goTo(to >= times.length ? undefined : to === 0 ? (times[0] ?? 0) - 1 : times[to - 1]);
    },
    [times, position, goTo],
  );
  return {
    position,
    atEnd: moment === undefined,
    moment,
    playing,
    speed,
    setSpeed,
    idle,
    step,
    play: () => {
      if (moment === undefined) setMoment(times[0]);
      setPlaying(true);
    },
    pause: () => setPlaying(false),
    seek: (at) => goTo(at >= (times.at(-1) ?? 0) ? undefined : at),
    toStart: () => goTo((times[0] ?? 0) - 1),
    toEnd: () => goTo(undefined),
  };
}
