// One line of a JSON tree.
import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { cn } from '../cn.ts';
import { CopyButton } from '../button/CopyButton.tsx';
import { formatNumber } from '../status/format.ts';
import type { JsonRow } from './json-rows.ts';
import { UntrustedText } from './UntrustedText.tsx';

export interface JsonTreeRowProps {
  readonly row: JsonRow;
  readonly index: number;
  readonly top: number;
  readonly focusable: boolean;
  readonly onFocused: (index: number) => void;
  readonly onToggle: (row: JsonRow, on: boolean) => void;
}

const TEXT_SHOWN_MAX = 400;
const INDENT_MAX = 40;

export function JsonTreeRow({ row, index, top, focusable, onFocused, onToggle }: JsonTreeRowProps) {
  const nameId = useId();
  const foldable = row.size !== undefined && row.size > 0;
  return (
    <div
      role="treeitem"
      // Without the button that copies.
      aria-labelledby={nameId}
      aria-level={row.depth + 1}
      aria-expanded={foldable ? row.open : undefined}
      aria-selected={focusable}
      data-index={index}
      tabIndex={focusable ? 0 : -1}
      onFocus={() => onFocused(index)}
      onClick={() => onToggle(row, !row.open)}
      style={{ transform: `translateY(${top}px)`, paddingLeft: 6 + Math.min(row.depth, INDENT_MAX) * 14 }}
      className={cn(
        'group absolute inset-x-0 top-0 flex h-6 items-center gap-1 pr-1 whitespace-pre -outline-offset-2 hover:bg-hover',
        (foldable || row.more) && 'cursor-pointer',
      )}
    >
      <ChevronRight
        aria-hidden
        className={cn('size-3 shrink-0 text-faint transition-transform', row.open && 'rotate-90', !foldable && 'opacity-0')}
      />
      {row.more ? (
        <span id={nameId} className="font-sans text-accent-text">
          Show {formatNumber(row.more.hidden)} more
        </span>
      ) : (
        <span id={nameId} className="min-w-0 truncate">
          {row.name !== undefined && (
            <>
              <UntrustedText text={row.name} className="text-muted" />
              <span className="text-faint">: </span>
            </>
          )}
          <Value row={row} />
        </span>
      )}
      {!row.more && (
        <span
          className="ml-auto opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
          onClick={(event) => event.stopPropagation()}
        >
          <CopyButton label="Copy this value" text={() => copied(row.value)} className="size-6" />
        </span>
      )}
    </div>
  );
}

const copied = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined'));

function Value({ row }: { readonly row: JsonRow }) {
  const { value, size } = row;
  if (size !== undefined) {
    const [start, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    const [one, more] = Array.isArray(value) ? ['item', 'items'] : ['field', 'fields'];
    return (
      <span className="text-faint">
        <span aria-hidden>
          {row.open && size > 0 ? start : size > 0 ? `${start}…${end}` : `${start}${end}`}{' '}
          {size > 0 && <span className="font-sans">{formatNumber(size)}</span>}
        </span>
        <span className="sr-only">
          {formatNumber(size)} {size === 1 ? one : more}
        </span>
      </span>
    );
  }
  if (typeof value === 'string') {
    const long = value.length > TEXT_SHOWN_MAX;
    return (
      <span className="text-ok">
        <UntrustedText text={JSON.stringify(long ? value.slice(0, TEXT_SHOWN_MAX) : value).replace(/\\u([0-9a-f]{4})/g, unescaped)} />
        {long && <span className="font-sans text-faint"> … {formatNumber(value.length)} characters; copy to see all</span>}
      </span>
    );
  }
  return <span className={typeof value === 'number' ? 'text-running' : 'text-accent-text'}>{String(value)}</span>;
}

/** JSON writes control characters as escapes; UntrustedText marks the characters themselves. */
const unescaped = (_: string, code: string) => String.fromCharCode(parseInt(code, 16));
