// Metrics of the variants of an experiment, one row each.
import type { ExperimentStatus } from '@svc/shared/kinds/experiment/schema';
import { Card } from '../../../ui/layout/Card.tsx';
import { cn } from '../../../ui/cn.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';

type Metrics = NonNullable<ExperimentStatus['variants']>[number];

interface Column {
  readonly title: string;
  readonly text: (metrics: Metrics) => string;
}

const number = (value: number | undefined): string => formatNumber(value ?? 0);
const time = (ms: number | undefined): string => (ms === undefined ? '–' : formatDuration(ms));

const COLUMNS: readonly Column[] = [
  { title: 'Runs', text: ({ runs }) => number(runs) },
  { title: 'Succeeded', text: ({ succeeded }) => number(succeeded) },
  { title: 'Failed', text: ({ failed }) => number(failed) },
  { title: 'Cancelled', text: ({ cancelled }) => number(cancelled) },
  { title: 'Denied', text: ({ denied }) => number(denied) },
  { title: 'Up', text: ({ up }) => number(up) },
  { title: 'Down', text: ({ down }) => number(down) },
  { title: 'Tokens', text: ({ tokens }) => number(tokens) },
  { title: 'Cost', text: ({ costUsd = 0, unpricedRuns = 0 }) => `${formatCost(costUsd)}${unpricedRuns > 0 ? ' + unknown' : ''}` },
  { title: 'Median', text: ({ p50Ms }) => time(p50Ms) },
  { title: 'p95', text: ({ p95Ms }) => time(p95Ms) },
];

export function MetricsTable({ variants }: { readonly variants: readonly Metrics[] }) {
  if (variants.length === 0) return null;
  return (
    <Card title="Variants" description="Median and p95 are active times of the runs that ended, without waits for people." flush>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Metrics of the variants">
        <table aria-label="Metrics of the variants" className="w-full text-base whitespace-nowrap">
          <thead>
            <tr className="border-b border-border text-sm text-muted">
              <th scope="col" className="px-4 py-1.5 text-left font-medium">
                Variant
              </th>
              {COLUMNS.map(({ title }) => (
                <th key={title} scope="col" className="px-3 py-1.5 text-right font-medium">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {variants.map((metrics, index) => (
              <tr key={metrics.name} className={cn(index > 0 && 'border-t border-border')}>
                <th scope="row" className="max-w-60 truncate px-4 py-1.5 text-left font-medium">
                  {metrics.name}
                </th>
                {COLUMNS.map(({ title, text }) => (
                  <td key={title} className="px-3 py-1.5 text-right tabular-nums">
                    {text(metrics)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
