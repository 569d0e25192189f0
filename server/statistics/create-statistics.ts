// StatisticsService over the counts in the store.
import { invalidFields } from '@svc/shared/errors';
import { namespaceProblem, type ResourceKey } from '@svc/shared/resource';
import type { Clock } from '../clock.ts';
import { timestamp } from '../clock.ts';
import { requireRole } from '../registry/authorise.ts';
import { readReferrers } from '../registry/referrers.ts';
import type { StoreReader } from '../store/store.ts';
import { quantile } from './histogram.ts';
import { readCursor, readTallies } from './records.ts';
import type { CountingCursor } from './records.ts';
import { HOURS_KEPT } from './run-counter.ts';
import type { MetricValues, ObjectUse, RunStatistics, RunStatisticsRequest, StatisticsService } from './statistics.ts';
import { addTallies, ALL_NAMESPACES, costsOf, dayOf, EMPTY_TALLY, hourOf, scopeOfSystem } from './tally.ts';
import type { Tally } from './tally.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS_KEPT = HOURS_KEPT / 24;
/** Objects that refer to an agent: the systems among them are added up. */
const REFERRERS_MAX = 50;

export interface StatisticsOptions {
  readonly store: StoreReader;
  readonly clock: Clock;
}

export function createStatistics({ store, clock }: StatisticsOptions): StatisticsService {
  return {
    async runs(context, request) {
      requireRole(context, 'reader', 'reading statistics');
      checkRequest(request);
      const hours = hoursUntil(clock.now(), request.hours);
      const [first = '', last = ''] = [hours[0], hours.at(-1)];
      // Read first: what it says is in the counts then.
      const cursor = await readCursor(store);
      const tallies = await readTallies(store, request.namespace ?? ALL_NAMESPACES, { first, last });
      const buckets = hours.map((hour) => ({ start: startOf(hour), ...metricsOf(tallies.get(hour) ?? EMPTY_TALLY) }));
      return { buckets, totals: metricsOf([...tallies.values()].reduce(addTallies, EMPTY_TALLY)), ...reach(cursor, startOf(first)) };
    },

    async use(context, of, { days }) {
      requireRole(context, 'reader', 'reading statistics');
      checkUse(of, days);
      const now = clock.now();
      const range = { first: dayOf(timestamp(now - (days - 1) * DAY_MS)), last: dayOf(timestamp(now)) };
      const cursor = await readCursor(store);
      const { systems, incomplete } = await systemsOf(store, of);
      const tallies = await Promise.all(systems.map((system) => readTallies(store, scopeOfSystem(system), range)));
      const total = tallies.flatMap((byDay) => [...byDay.values()]).reduce(addTallies, EMPTY_TALLY);
      const since = cursor?.systemsSince;
      return { ...metricsOf(total), ...(since !== undefined && since > range.first && { since }), ...(incomplete && { incomplete }) };
    },
  };
}

/** An agent runs in systems. */
async function systemsOf(store: StoreReader, of: ResourceKey): Promise<{ systems: readonly ResourceKey[]; incomplete?: true }> {
  if (of.kind === 'AgentSystem') return { systems: [of] };
  const { items, continue: more } = await readReferrers(store, of, { limit: REFERRERS_MAX });
  return { systems: items.filter(({ kind }) => kind === 'AgentSystem'), ...(more !== undefined && { incomplete: true }) };
}

function checkUse({ kind, namespace }: ResourceKey, days: number): void {
  const inRange = Number.isInteger(days) && days >= 1 && days <= DAYS_KEPT;
  refuse([
    {
      path: 'kind',
      message: kind === 'AgentSystem' || kind === 'Agent' ? undefined : 'must be AgentSystem or Agent: runs are counted for these',
    },
    { path: 'days', message: inRange ? undefined : `must be a whole number from 1 to ${DAYS_KEPT}` },
    { path: 'namespace', message: namespaceProblem(namespace) },
  ]);
}

function checkRequest({ namespace, hours }: RunStatisticsRequest): void {
  const inRange = Number.isInteger(hours) && hours >= 1 && hours <= HOURS_KEPT;
  refuse([
    { path: 'hours', message: inRange ? undefined : `must be a whole number from 1 to ${HOURS_KEPT}` },
    { path: 'namespace', message: namespace === undefined ? undefined : namespaceProblem(namespace) },
  ]);
}

function refuse(checks: readonly { readonly path: string; readonly message: string | undefined }[]): void {
  const faults = checks.filter((fault): fault is { path: string; message: string } => fault.message !== undefined);
  if (faults.length) throw invalidFields('the request for statistics', faults);
}

/** Oldest first, down to the current one. */
function hoursUntil(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => hourOf(timestamp(now - (count - 1 - index) * HOUR_MS)));
}

function startOf(hour: string): string {
  return `${hour}:00:00.000Z`;
}

function metricsOf(tally: Tally): MetricValues & Pick<ObjectUse, 'lastEndedAt' | 'lastStartedAt'> {
  const { durations, ...counts } = tally;
  const [p50Ms, p95Ms] = [quantile(durations, 0.5), quantile(durations, 0.95)];
  return {
    ...counts,
    denied: tally.denied ?? 0,
    ...costsOf(tally),
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p95Ms !== undefined && { p95Ms }),
  };
}

/** Leaves out a gap before the first requested hour. */
function reach(cursor: CountingCursor | undefined, first: string): Pick<RunStatistics, 'countedSince' | 'gapSince' | 'gapUntil'> {
  if (!cursor) return {};
  const { countedSince, gapSince, gapUntil } = cursor;
  if (gapSince === undefined || gapUntil === undefined || gapUntil < first) return { countedSince };
  return { countedSince, gapSince, gapUntil };
}
