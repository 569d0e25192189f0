// Two JSON values line by line, keys sorted, equal parts folded away. All text is untrusted.
import { useMemo, useState } from 'react';
import { Button } from '../ui/button/Button.tsx';
import { cn } from '../ui/cn.ts';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import { jsonRows, type DiffRow } from '../yaml/text-diff.ts';

export interface JsonDiffProps {
  readonly before: unknown;
  readonly after: unknown;
  /** Its name for screen readers. */
  readonly label: string;
}

const ROWS_SHOWN = 500;
const SIGNS = { same: ' ', added: '+', removed: '−', skipped: '⋯' } as const;
const LOOKS = {
  same: 'text-muted',
  added: 'bg-ok-soft text-ok',
  removed: 'bg-danger-soft text-danger',
  skipped: 'bg-sunken text-muted',
} as const;

function Row({ row }: { readonly row: DiffRow }) {
  const Text = row.type === 'added' ? 'ins' : row.type === 'removed' ? 'del' : 'span';
  return (
    <div className={cn('flex px-2', LOOKS[row.type])}>
      <span aria-hidden className="w-5 shrink-0 select-none">
        {SIGNS[row.type]}
      </span>
      <Text className="min-w-0 flex-1 whitespace-pre-wrap no-underline">
        {row.type === 'skipped' ? <span className="font-sans">{row.lines} equal lines</span> : <UntrustedText text={row.text} />}
      </Text>
    </div>
  );
}

export function JsonDiff({ before, after, label }: JsonDiffProps) {
  const rows = useMemo(() => jsonRows(before, after), [before, after]);
  const [all, setAll] = useState(false);
  const changed = rows.some(({ type }) => type === 'added' || type === 'removed');
  if (!changed) return <p className="text-base text-muted">No differences.</p>;
  const shown = all ? rows : rows.slice(0, ROWS_SHOWN);
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-[32rem] overflow-auto rounded-md border border-border bg-surface py-1 font-mono text-sm"
    >
      {shown.map((row, index) => (
        <Row key={index} row={row} />
      ))}
      {shown.length < rows.length && (
        <Button variant="ghost" size="sm" onClick={() => setAll(true)}>
          Show {rows.length - shown.length} more lines
        </Button>
      )}
    </div>
  );
}
