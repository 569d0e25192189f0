// Names and values of one object.
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';

export interface DescriptionItem {
  readonly term: ReactNode;
  readonly detail: ReactNode;
}

export interface DescriptionListProps {
  readonly items: readonly DescriptionItem[];
  /** `rows` has names at the left; `tiles` has them above, side by side. */
  readonly look?: 'rows' | 'tiles';
  readonly className?: string;
}

export function DescriptionList({ items, look = 'rows', className }: DescriptionListProps) {
  const tiles = look === 'tiles';
  return (
    <dl className={cn(tiles ? 'grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-6 gap-y-3' : 'flex flex-col gap-2', className)}>
      {items.map((item, index) => (
        <div
          key={index}
          className={cn('min-w-0', !tiles && 'grid grid-cols-[minmax(7rem,30%)_1fr] items-baseline gap-3 max-sm:grid-cols-1 max-sm:gap-0')}
        >
          <dt className="min-w-0 text-sm [overflow-wrap:anywhere] text-muted">{item.term}</dt>
          <dd className="min-w-0 text-base [overflow-wrap:anywhere] text-text">{item.detail}</dd>
        </div>
      ))}
    </dl>
  );
}
