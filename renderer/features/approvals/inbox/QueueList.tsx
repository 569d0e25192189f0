// The queue itself: virtual, in groups, with the open row kept visible.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { PRINTED_ROWS, PrintedPart, usePrintedRange } from '../../../ui/table/printing.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { QueueGroup, QueueItem } from './queue.ts';
import { QueueRow } from './QueueRow.tsx';
import { useRowFocus, type RowFocus } from './use-row-focus.ts';

export interface QueueListProps {
  readonly groups: readonly QueueGroup[];
  readonly scope: string;
  readonly current: string | undefined;
  readonly selected: ReadonlySet<string>;
  readonly onOpen: (key: string) => void;
  readonly rowFocus: RowFocus;
  readonly onSelect: (key: string, range: boolean) => void;
}

type Line = { readonly title: string; readonly count: number } | { readonly item: QueueItem };

const indexOf = (lines: readonly Line[], key: string | undefined) =>
  lines.findIndex((line) => 'item' in line && line.item.approval.key === key);

const ROW_HEIGHT = 86;
const TITLE_HEIGHT = 32;

export function QueueList({ groups, scope, current, selected, onOpen, onSelect, rowFocus }: QueueListProps) {
  const lines = useMemo(
    () =>
      groups.flatMap(({ title, items }): Line[] => [
        ...(title === undefined ? [] : [{ title, count: items.length }]),
        ...items.map((item) => ({ item })),
      ]),
    [groups],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: useCallback(() => scroller.current, []),
    estimateSize: useCallback((index: number) => (lines[index] && 'title' in lines[index] ? TITLE_HEIGHT : ROW_HEIGHT), [lines]),
    getItemKey: useCallback(
      (index: number) => {
        const line = lines[index];
        return line && 'item' in line ? line.item.approval.key : `group ${line?.title}`;
      },
      [lines],
    ),
    overscan: 8,
    rangeExtractor: usePrintedRange(),
  });
  const at = indexOf(lines, current);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  useEffect(() => {
    const wanted = indexOf(lines, rowFocus.wanted());
    if (wanted >= 0) virtual.scrollToIndex(wanted, { align: 'auto' });
  }, [lines, rowFocus, virtual]);
  useRowFocus(scroller, rowFocus);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" data-queue>
      <ul aria-label="Waiting approvals" {...PRINTED_ROWS} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index];
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {line && 'item' in line ? (
                <QueueRow
                  item={line.item}
                  scope={scope}
                  current={line.item.approval.key === current}
                  selected={selected.has(line.item.approval.key)}
                  onOpen={onOpen}
                  onSelect={onSelect}
                />
              ) : (
                <h3 className="flex h-8 items-center gap-2 border-b border-border bg-sunken px-3 text-sm font-medium text-muted">
                  <UntrustedText text={line?.title ?? ''} className="min-w-0 truncate" />
                  <span className="text-faint tabular-nums">{line?.count}</span>
                </h3>
              )}
            </li>
          );
        })}
      </ul>
      <PrintedPart loaded={lines.length} total={lines.length} />
    </div>
  );
}
