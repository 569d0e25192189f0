// Metrics of runs by hour as the dashboard draws and describes them. Pure.
import type { Outputs } from '../../live/api.ts';
import { formatCompact, formatCost, formatDuration, formatNumber, formatPercent } from '../../ui/status/format.ts';

export type RunHistory = Outputs['statistics']['runs'];
export type RunTotals = RunHistory['totals'];
export type Hour = RunHistory['buckets'][number];

/** Runs that ended by themselves: a cancel or a denial is a person's decision and says nothing about health. */
export function endedOf({ succeeded, failed, deadLettered }: RunTotals): number {
  return succeeded + failed + deadLettered;
}

/** Share of successful runs; undefined when none ended. */
export function successRate(counts: RunTotals): number | undefined {
  const ended = endedOf(counts);
  return ended === 0 ? undefined : counts.succeeded / ended;
}

export function rateText(counts: RunTotals): string {
  const rate = successRate(counts);
  return rate === undefined ? '–' : formatPercent(rate);
}

/** In words: an unknown price is not zero. */
export function costText({ costUsd, unpricedRuns }: Pick<RunTotals, 'costUsd' | 'unpricedRuns'>): string {
  return costUsd === 0 && unpricedRuns > 0 ? 'unknown' : formatCost(costUsd);
}

/** Describes the runs that a sum of costs leaves out; undefined when it is complete. */
export function unpricedText({ unpricedRuns }: Pick<RunTotals, 'unpricedRuns'>): string | undefined {
  return unpricedRuns === 0 ? undefined : `${many(unpricedRuns, 'run')} with calls of unknown price`;
}

/** The upper end of an axis for values up to `max`: a round number that can be halved by eye. At least `least`. */
export function niceTop(max: number, least = 1): number {
  if (!(max > least)) return least;
  const exponent = Math.floor(Math.log10(max));
  const power = 10 ** Math.abs(exponent);
  // By whole powers of ten, which are exact: 3 / 100 is 0.03, and 3 * 10 ** -2 is not.
  const scaled = (step: number) => (exponent < 0 ? step / power : step * power);
  return [1, 2, 3, 4, 5, 6, 8].map(scaled).find((each) => each >= max) ?? scaled(10);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayClock = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' });

/** `Tue, 14:00 – 15:00`, in this browser's zone. */
export function hourText({ start }: Pick<Hour, 'start'>): string {
  const from = Date.parse(start);
  return `${dayClock.format(from)} – ${clock.format(from + 3_600_000)}`;
}

/** Labels under an axis of hours, with their place from 0 to 1: every sixth hour of a day, every day of a week. */
export function axisLabels(hours: readonly Pick<Hour, 'start'>[]): { readonly at: number; readonly text: string }[] {
  const long = hours.length > 48;
  return hours.flatMap(({ start }, index) => {
    const moment = new Date(start);
    const shown = long ? moment.getHours() === 0 : moment.getHours() % 6 === 0;
    return shown ? [{ at: index / hours.length, text: (long ? day : clock).format(moment) }] : [];
  });
}

const many = (count: number, one: string, more = `${one}s`) => `${formatNumber(count)} ${count === 1 ? one : more}`;

/** Summary of a chart of hours in one sentence, for people who do not see it. */
export function throughputSentence(totals: RunTotals, hours: number): string {
  const { succeeded, failed, deadLettered, cancelled, denied } = totals;
  const counts = [
    `${succeeded} succeeded`,
    `${failed} failed`,
    `${deadLettered} dead-lettered`,
    `${cancelled} cancelled`,
    `${denied} denied`,
  ];
  return `Completed runs per hour, last ${hours} hours: ${counts.join(', ')}.`;
}

/** Ends of runs besides success, shortly: `2 failed · 1 cancelled`. */
export function endsText({ failed, deadLettered, cancelled, denied }: RunTotals): string {
  const bad = failed + deadLettered;
  const counts = [bad === 0 ? 'none failed' : `${formatNumber(bad)} failed`];
  if (cancelled > 0) counts.push(`${formatNumber(cancelled)} cancelled`);
  if (denied > 0) counts.push(`${formatNumber(denied)} denied`);
  return counts.join(' · ');
}

export function hourSentence(hour: Hour): string {
  const parts = [
    many(hour.succeeded, 'succeeded', 'succeeded'),
    ...(hour.failed > 0 ? [`${hour.failed} failed`] : []),
    ...(hour.deadLettered > 0 ? [`${hour.deadLettered} dead-lettered`] : []),
    ...(hour.cancelled > 0 ? [`${hour.cancelled} cancelled`] : []),
    ...(hour.denied > 0 ? [`${hour.denied} denied`] : []),
    ...(hour.p50Ms === undefined ? [] : [`median ${formatDuration(hour.p50Ms)}`]),
    ...(hour.tokens > 0 ? [`${formatCompact(hour.tokens)} tokens`] : []),
    ...(hour.costUsd > 0 || hour.unpricedRuns > 0 ? [`cost ${costText(hour)}`] : []),
  ];
  return parts.join(' · ');
}

/** Start of counting, when the window begins before it. */
export function countedFrom(history: RunHistory): string | undefined {
  const { countedSince, buckets } = history;
  const first = buckets[0]?.start;
  if (countedSince === undefined || first === undefined) return undefined;
  return Date.parse(countedSince) > Date.parse(first) + 3_600_000 ? countedSince : undefined;
}

/** The stretch inside the window that was pruned before it was counted. */
export function gapIn({ gapSince, gapUntil, buckets }: RunHistory): { readonly since: string; readonly until: string } | undefined {
  const first = buckets[0]?.start;
  if (gapSince === undefined || gapUntil === undefined || first === undefined) return undefined;
  return Date.parse(gapUntil) < Date.parse(first) ? undefined : { since: gapSince, until: gapUntil };
}
