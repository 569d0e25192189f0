// One trace in the browser: its entries in journal order and the spans made of them. Independent of the source.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import type { RunOverlay } from '../../../graph/overlay.ts';
import { OverlayScan, type JoinSizes } from './run-overlay.ts';
import { SpanFold } from './spans.ts';

/** Beyond this many entries the browser's memory is at risk; the note names the way to the rest. */
const TRACE_ENTRIES_MAX = 200_000;

export class TraceStore {
  readonly entries: TraceEntry[] = [];
  readonly fold: SpanFold;
  /** Time of each entry; never decreases. */
  readonly times: number[] = [];
  readonly #overlays = new OverlayScan();
  readonly #listeners = new Set<() => void>();
  readonly #max: number;
  #version = 0;
  /** Whether entries were dropped at the end. */
  full = false;

  constructor(runName?: string, max = TRACE_ENTRIES_MAX) {
    this.fold = new SpanFold(runName);
    this.#max = max;
  }

  /** Appends entries; those past the bound are dropped. `publish` notifies the listeners. */
  append(entries: readonly TraceEntry[]): void {
    const room = this.#max - this.entries.length;
    const taken = entries.length > room ? entries.slice(0, room) : entries;
    if (taken.length < entries.length) this.full = true;
    this.fold.append(taken);
    for (const entry of taken) {
      this.entries.push(entry);
      const at = Date.parse(entry.timestamp);
      this.times.push(Math.max(this.times.at(-1) ?? at, at));
    }
  }

  /** State of the system's picture after the first `position` entries. */
  overlay(position: number, joins?: JoinSizes): RunOverlay {
    return this.#overlays.at(this.entries, position, joins);
  }

  /** Notifies readers of a change. */
  publish(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
