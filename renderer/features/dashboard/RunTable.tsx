// The numbers of the charts as a table: for screen readers, and for people who want exact values.
import { formatDuration, formatNumber } from '../../ui/status/format.ts';
import { costText, endedOf, hourText, rateText, type RunTotals, type RunHistory } from './run-stats.ts';

const HEAD = ['Started', 'Succeeded', 'Failed', 'Dead letter', 'Cancelled', 'Denied', 'Success', 'p50', 'p95', 'Tokens', 'Cost'];

function cellsOf(values: RunTotals): readonly string[] {
  const { started, succeeded, failed, deadLettered, cancelled, denied, p50Ms, p95Ms, tokens } = values;
  const cost = values.costUsd > 0 && values.unpricedRuns > 0 ? `${costText(values)} + unknown` : costText(values);
  const times = [p50Ms, p95Ms].map((ms) => (ms === undefined ? '–' : formatDuration(ms)));
  const counts = [started, succeeded, failed, deadLettered, cancelled, denied].map((count) => formatNumber(count));
  return [...counts, rateText(values), ...times, formatNumber(tokens), cost];
}

export function RunTable({ history: { buckets, totals } }: { readonly history: RunHistory }) {
  const hours = [...buckets].reverse().filter((hour) => hour.started + endedOf(hour) + hour.cancelled + hour.denied > 0);
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="Runs by hour"
      className="max-h-[30rem] overflow-auto rounded-lg border border-border bg-surface shadow-raised"
    >
      <table aria-label="Runs by hour" className="w-full min-w-176 border-collapse text-right tabular-nums">
        <thead className="sticky top-0 bg-surface text-sm text-muted">
          <tr className="border-b border-border">
            <th scope="col" className="px-4 py-2 text-left font-medium">
              Hour
            </th>
            {HEAD.map((title) => (
              <th key={title} scope="col" className="px-3 py-2 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row title={`All ${buckets.length} hours`} values={totals} strong />
          {hours.map((hour) => (
            <Row key={hour.start} title={hourText(hour)} values={hour} />
          ))}
        </tbody>
      </table>
      <p className="px-4 py-2 text-sm text-muted">
        Hours without runs are left out. Costs are the recorded ones of each call; a call of unknown price does not count as free.
      </p>
    </div>
  );
}

function Row({ title, values, strong = false }: { readonly title: string; readonly values: RunTotals; readonly strong?: boolean }) {
  return (
    <tr className={strong ? 'border-b border-border font-semibold' : 'border-b border-border/60'}>
      <th scope="row" className="px-4 py-1.5 text-left font-[inherit] whitespace-nowrap">
        {title}
      </th>
      {cellsOf(values).map((text, index) => (
        <td key={index} className="px-3 py-1.5">
          {text}
        </td>
      ))}
    </tr>
  );
}
