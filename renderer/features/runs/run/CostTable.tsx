// Tokens times price, line by line.
import type { ReactNode } from 'react';
import { formatCost, formatNumber } from '../../../ui/status/format.ts';
import type { CostRow } from './cost.ts';

export interface CostLine {
  readonly name: ReactNode;
  readonly row: CostRow;
  /** Price per million tokens; undefined while it is unknown. */
  readonly prices: { readonly input?: number; readonly output?: number } | undefined;
}

export interface CostTableProps {
  readonly label: string;
  readonly what: string;
  readonly lines: readonly CostLine[];
  readonly total: CostRow;
}

const HEADS = ['Calls', 'Tokens in', 'at, per 1M', 'Tokens out', 'at, per 1M', 'Cost'];
const unknown = <span className="text-faint">not set</span>;

export function CostTable({ label, what, lines, total }: CostTableProps) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label} className="w-full min-w-[44rem] border-collapse text-base tabular-nums">
        <thead>
          <tr className="border-b border-border text-sm text-muted">
            <th scope="col" className="px-4 py-1.5 text-left font-medium">
              {what}
            </th>
            {HEADS.map((head, index) => (
              <th key={index} scope="col" className="px-4 py-1.5 text-right font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, row, prices }) => (
            <tr key={row.agent} className="border-b border-border/60 hover:bg-hover">
              <th scope="row" className="max-w-64 truncate px-4 py-1.5 text-left font-medium">
                {name}
              </th>
              <Numbers row={row} input={prices?.input} output={prices?.output} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" className="px-4 py-2 text-left">
              Total
            </th>
            <td className="px-4 text-right">{formatNumber(total.calls)}</td>
            <td className="px-4 text-right">{formatNumber(total.inputTokens)}</td>
            <td />
            <td className="px-4 text-right">{formatNumber(total.outputTokens)}</td>
            <td />
            <td className="px-4 text-right">
              <CostCell row={total} />
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

const priceText = (price: number | undefined) => (price === undefined ? unknown : price === 0 ? 'free' : formatCost(price));

function Numbers({
  row,
  input,
  output,
}: {
  readonly row: CostRow;
  readonly input: number | undefined;
  readonly output: number | undefined;
}) {
  return (
    <>
      <td className="px-4 text-right">{formatNumber(row.calls)}</td>
      <td className="px-4 text-right">{formatNumber(row.inputTokens)}</td>
      <td className="px-4 text-right text-muted">{priceText(input)}</td>
      <td className="px-4 text-right">{formatNumber(row.outputTokens)}</td>
      <td className="px-4 text-right text-muted">{priceText(output)}</td>
      <td className="px-4 text-right font-medium">
        <CostCell row={row} />
      </td>
    </>
  );
}

function CostCell({ row }: { readonly row: CostRow }) {
  const notes = [
    ...(row.unpriced > 0 ? [`${formatNumber(row.unpriced)} unpriced`] : []),
    ...(row.estimated > 0 ? [`${formatNumber(row.estimated)} estimated`] : []),
  ];
  return (
    <>
      {row.unpriced === row.calls ? <span className="font-normal text-warn">unknown</span> : formatCost(row.cost)}
      {notes.length > 0 && <span className="block text-sm font-normal text-muted">{notes.join(', ')}</span>}
    </>
  );
}
