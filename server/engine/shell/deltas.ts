// Streamed text on its way to whoever follows a run: gathered for a moment, so that a fast model does not mean one write per token.
import type { Clock } from '../../clock.ts';
import { DELTA_COALESCE_MS } from '../core/limits.ts';

export interface Delta {
  readonly taskUid: string;
  readonly turnId: string;
  readonly agent: string;
  readonly requestId: string;
  readonly text: string;
}

export type DeltaListener = (delta: Delta) => void;

export interface DeltaBuffer {
  readonly push: (text: string) => void;
  /** Passes on what is left. */
  readonly flush: () => void;
}

export function coalesceDeltas(clock: Clock, pass: (text: string) => void): DeltaBuffer {
  let gathered = '';
  let waiting = false;
  const flush = () => {
    const text = gathered;
    gathered = '';
    if (text !== '') pass(text);
  };
  const push = (text: string) => {
    gathered += text;
    if (waiting) return;
    waiting = true;
    void clock.sleep(DELTA_COALESCE_MS).then(() => {
      waiting = false;
      flush();
    });
  };
  return { push, flush };
}
