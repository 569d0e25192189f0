// Interface of a scenario of the fault suite, and its report.
import type { Violation } from './check/evidence.ts';

export type Scale = 'short' | 'long';

export interface Setting {
  readonly seed: number;
  readonly scale: Scale;
  /** Reports progress. */
  readonly say: (line: string) => void;
}

interface Measurements {
  readonly tasks: number;
  readonly kills: number;
  readonly takeovers: number;
  /** Repeated calls whose earlier result was not recorded. */
  readonly repeated: number;
  /** Further results of this scenario, in a few words. */
  readonly note: string;
}

export interface Outcome extends Measurements {
  readonly violations: readonly Violation[];
  /** The journal of a violation's Task and the last output of the processes, to print with it. */
  readonly context: (violation: Violation) => string;
}

export interface Scenario {
  readonly name: string;
  /** Description in one line. */
  readonly title: string;
  /** Reason why it cannot run on this machine; `excused` when it may be skipped even where skipping is forbidden. */
  readonly missing: () => Promise<Missing | undefined>;
  readonly run: (setting: Setting) => Promise<Outcome>;
}

export interface Missing {
  readonly reason: string;
  readonly excused: boolean;
}
