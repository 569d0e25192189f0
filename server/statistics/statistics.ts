// Run statistics: over time for the dashboard, and of single agent systems and agents. Counts are kept per hour and namespace and per day and
// agent system, from the change log.
import type { ResourceKey } from '@svc/shared/resource';
import type { RequestContext } from '../registry/registry.ts';

export interface RunStatisticsRequest {
  /** Absent: every namespace. */
  readonly namespace?: string;
  /** How far back, in whole hours, the current one included: 1 to 744 (31 days). */
  readonly hours: number;
}

export interface MetricValues {
  /** Tasks whose first attempt began. */
  readonly started: number;
  readonly succeeded: number;
  /** Ended `Failed` for another reason than a cancel or a denial. */
  readonly failed: number;
  readonly deadLettered: number;
  readonly cancelled: number;
  /** A person denied a call or the output. */
  readonly denied: number;
  /** From the first attempt to the end without the time in which a task waited for people alone, of tasks that ended; from a histogram, so within about 10 %. Absent when none ended. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  /** Used by tasks that ended. */
  readonly tokens: number;
  /** Cost in US dollars, as recorded with each call at the prices of then; calls of unknown price are left out. */
  readonly costUsd: number;
  /** Tasks that ended with a call of unknown price among theirs, or before costs were recorded: `costUsd` lacks something of each. */
  readonly unpricedRuns: number;
}

interface RunBucket extends MetricValues {
  /** The hour it begins, RFC 3339. */
  readonly start: string;
}

export interface RunStatistics {
  /** One per hour, oldest first, empty hours included. */
  readonly buckets: readonly RunBucket[];
  readonly totals: MetricValues;
  /** When counting began: earlier hours are empty because nobody counted. Absent while nothing has been counted. */
  readonly countedSince?: string;
  /** The change log was pruned before it was counted: metrics may lack what happened between this moment and `gapUntil`. */
  readonly gapSince?: string;
  readonly gapUntil?: string;
}

interface UseRequest {
  /** How far back, in whole days of UTC, the current one included: 1 to 31. */
  readonly days: number;
}

/** Runs of an agent system, or of all systems with an agent. Trials are left out. */
export interface ObjectUse extends MetricValues {
  /** End of the newest run; absent when none ended. */
  readonly lastEndedAt?: string;
  /** Start of the newest run; absent where the newest counts are older than it. */
  readonly lastStartedAt?: string;
  /** When counting began, where that is within the requested days: earlier runs are not in these metrics. */
  readonly since?: string;
  /** Agents only: it is part of more systems than were added up, so that these metrics are too low. */
  readonly incomplete?: true;
}

export interface StatisticsService {
  /** Rejects with `forbidden` below role `reader` and `invalid` for a bad request. Up to a few seconds behind. */
  runs(context: RequestContext, request: RunStatisticsRequest): Promise<RunStatistics>;
  /** Metrics of an AgentSystem or an Agent, which need not exist. Rejects as `runs` does, and with `invalid` for another kind. */
  use(context: RequestContext, of: ResourceKey, request: UseRequest): Promise<ObjectUse>;
}
