// Experiments as the API shows them beyond their objects: results, ratings, estimates.

export const THUMBS = ['up', 'down'] as const;
export type Thumb = (typeof THUMBS)[number];

/** Judgement of a person about one result. */
export interface Rating {
  readonly thumb: Thumb | null;
  readonly note: string | null;
  /** Identity of the last rating. */
  readonly by: string;
  /** RFC 3339 in UTC. */
  readonly at: string;
  /** 1 for the first rating, one more with each change. */
  readonly version: number;
}

/** One cell of the table. */
export interface ExperimentResult {
  /** Number of the run in the experiment, from 1: the variants of a case, then the next case, then the next repeat. */
  readonly run: number;
  readonly case: string;
  readonly variant: string;
  /** From 1. */
  readonly repeat: number;
  /** Name of the Task in the namespace of the experiment; null for one that was refused. It may be deleted by now. */
  readonly task: string | null;
  /** Phase of a run that has not ended; else Succeeded, Failed, DeadLetter, Cancelled, Denied or Deleted. */
  readonly outcome: string;
  /** Beginning of the output. */
  readonly output: string | null;
  /** Characters of the whole output. */
  readonly output_chars: number;
  readonly error: string | null;
  readonly tokens: number | null;
  /** Known cost in US dollars. */
  readonly cost_usd: number | null;
  /** Model calls whose price is not known. */
  readonly unpriced_calls: number | null;
  /** Milliseconds without the time in which it waited for people alone. */
  readonly active_ms: number | null;
  readonly completed_at: string | null;
  readonly rating: Rating | null;
}

export interface ExperimentResultPage {
  readonly items: readonly ExperimentResult[];
  /** Present where further runs have begun. */
  readonly continue?: string;
}

/** Runs, tokens and cost of an experiment that is not created yet. */
export interface ExperimentEstimate {
  readonly runs: number;
  /** Ended runs of the system that the metrics come from, trials included. */
  readonly based_on: number;
  /** Expected tokens of all runs; null where nothing is known. */
  readonly tokens: number | null;
  /** Expected cost in US dollars; null where nothing is known, or not of every call. */
  readonly cost_usd: number | null;
  /** Reasons why variants cannot run as the definitions are now. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Outcomes of runs that succeeded or have not ended. */
const NO_FAILURE: ReadonlySet<string> = new Set(['Succeeded', 'Pending', 'Running', 'WaitingApproval']);

/** Whether the run has ended without success: cancelled, denied and deleted ones too. */
export const endedWithoutSuccess = ({ outcome }: Pick<ExperimentResult, 'outcome'>): boolean => !NO_FAILURE.has(outcome);
