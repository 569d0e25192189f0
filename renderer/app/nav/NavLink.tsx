// One entry of the navigation.
import { CircleGauge, Inbox, Radio, ScrollText, Settings, ShieldQuestion, Sparkles, type LucideIcon } from 'lucide-react';
import { cn } from '../../ui/cn.ts';
import { Link } from '../../ui/Link.tsx';
import { Tooltip } from '../../ui/Tooltip.tsx';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import type { NavEntry } from './nav-model.ts';
import { countText, type NavCount } from './use-nav-counts.ts';

const PAGE_ICONS: Readonly<Record<string, LucideIcon>> = {
  dashboard: CircleGauge,
  inbox: Inbox,
  simulator: ShieldQuestion,
  events: Radio,
  capabilities: Sparkles,
  settings: Settings,
};

export interface NavLinkProps {
  readonly entry: NavEntry;
  readonly current: boolean;
  readonly count?: NavCount | undefined;
  /** Of the inbox: how many wait. */
  readonly urgent?: boolean;
  readonly iconOnly: boolean;
  readonly onFollow?: (() => void) | undefined;
}

export function NavLink({ entry, current, count, urgent = false, iconOnly, onFollow }: NavLinkProps) {
  const Icon = PAGE_ICONS[entry.page ?? ''] ?? ScrollText;
  const shown = count !== undefined && count.count > 0;
  const link = (
    <Link
      href={entry.href}
      look="bare"
      aria-current={current ? 'page' : undefined}
      aria-label={iconOnly ? entry.label : undefined}
      {...(onFollow && { onClick: onFollow })}
      className={cn(
        'group relative flex h-7 items-center gap-2 rounded-md px-2 text-base transition-colors [&_svg]:size-4 [&_svg]:shrink-0',
        current
          ? 'bg-selected font-medium text-text [&_svg]:text-accent-text'
          : 'text-muted hover:bg-hover hover:text-text [&_svg]:text-faint',
        iconOnly && 'w-8 justify-center px-0',
      )}
    >
      {entry.kind === undefined ? <Icon aria-hidden /> : <KindIcon kind={entry.kind} />}
      {!iconOnly && <span className="min-w-0 flex-1 truncate">{entry.label}</span>}
      {shown && !iconOnly && <Count count={count} urgent={urgent} />}
      {shown && iconOnly && urgent && (
        <span aria-hidden className="absolute top-0.5 right-0.5 size-2 rounded-full bg-waiting ring-2 ring-bg" />
      )}
    </Link>
  );
  return iconOnly ? (
    <Tooltip side="right" text={shown ? `${entry.label}, ${countText(count)}` : entry.label}>
      {link}
    </Tooltip>
  ) : (
    link
  );
}

function Count({ count, urgent }: { readonly count: NavCount; readonly urgent: boolean }) {
  return (
    <span className={cn('text-xs tabular-nums', urgent ? 'rounded-full bg-waiting-soft px-1.5 font-semibold text-waiting' : 'text-faint')}>
      {countText(count)}
      {urgent && <span className="sr-only"> waiting</span>}
    </span>
  );
}
