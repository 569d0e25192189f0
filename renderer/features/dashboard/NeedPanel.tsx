// One kind of open work: its count, the first few, the link to all.
import { CircleCheck } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Badge } from '../../ui/status/Badge.tsx';
import { cn } from '../../ui/cn.ts';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { formatCompact } from '../../ui/status/format.ts';
import { Link } from '../../ui/link/Link.tsx';
import { SkeletonLines } from '../../ui/feedback/Skeleton.tsx';
import { INK, type Tone } from '../../ui/status/tone.ts';
import type { Need } from './use-needs.ts';

export interface NeedPanelProps<Item> {
  readonly title: string;
  readonly tone: Tone;
  readonly icon: ReactNode;
  readonly need: Need<Item>;
  /** Text for none. */
  readonly nothing: string;
  readonly all?: { readonly href: string; readonly label: string };
  readonly keyOf: (item: Item) => string;
  readonly className?: string;
  readonly children: (item: Item) => ReactNode;
}

export function NeedPanel<Item>({ title, tone, icon, need, nothing, all, keyOf, className, children }: NeedPanelProps<Item>) {
  const id = useId();
  const { items, count, more, loading, error, retry } = need;
  const busy = (count ?? 0) > 0;
  return (
    <section
      aria-labelledby={id}
      className={cn('flex min-w-0 flex-col overflow-hidden rounded-lg border border-border bg-surface shadow-raised', className)}
    >
      <header className="flex h-11 items-center gap-2.5 border-b border-border px-4">
        <span aria-hidden className={cn('flex [&_svg]:size-4', busy ? INK[tone] : 'text-faint')}>
          {icon}
        </span>
        <h2 id={id} className="text-md font-semibold">
          {title}
        </h2>
        {count !== undefined && (
          <Badge tone={busy ? tone : 'neutral'}>
            {formatCompact(count)}
            {more && busy ? '+' : ''}
          </Badge>
        )}
        {all && busy && (
          <Link href={all.href} className="ml-auto text-sm">
            {all.label}
          </Link>
        )}
      </header>
      {error != null && <ErrorCard error={error} title="This could not be loaded" onRetry={retry} className="m-3" />}
      {loading && items.length === 0 && error == null && <SkeletonLines widths={['w-2/3', 'w-1/2']} className="gap-3 p-4" />}
      {!loading && error == null && items.length === 0 && (
        <p className="flex items-center gap-2 px-4 py-4 text-muted">
          <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />
          {nothing}
        </p>
      )}
      {items.length > 0 && (
        <ul className="divide-y divide-border/60">
          {items.map((item) => (
            <li key={keyOf(item)}>{children(item)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
