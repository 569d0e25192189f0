// One entry of the navigation.
import { House, Inbox, Radio, Server, Settings, ShieldCheck, type LucideIcon } from 'lucide-react';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import { cn } from '../../ui/cn.ts';
import { Link } from '../../ui/link/Link.tsx';
import { Tooltip } from '../../ui/overlay/Tooltip.tsx';
import type { NavEntry } from './nav-model.ts';
import { countText, type NavCount } from './use-nav-counts.ts';

/** Entries without an icon here have that of their first kind. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  home: House,
  inbox: Inbox,
  access: ShieldCheck,
  events: Radio,
  server: Server,
  settings: Settings,
};

export interface NavLinkProps {
  readonly entry: NavEntry;
  readonly current: boolean;
  readonly count?: NavCount | undefined;
  /** Word after the count, `running`. */
  readonly counted?: string | undefined;
  /** The count needs a person. */
  readonly urgent?: boolean;
  readonly iconOnly: boolean;
  readonly onFollow?: (() => void) | undefined;
}

export function NavLink({ entry, current, count, counted = '', urgent = false, iconOnly, onFollow }: NavLinkProps) {
  const Icon = ICONS[entry.id];
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
        iconOnly && 'size-9 justify-center px-0 [&_svg]:size-[1.125rem]',
      )}
    >
      {Icon ? <Icon aria-hidden /> : <KindIcon kind={entry.tabs.find(({ kind }) => kind !== undefined)?.kind ?? ''} />}
      {!iconOnly && <span className="min-w-0 flex-1 truncate">{entry.label}</span>}
      {shown && !iconOnly && <Count count={count} counted={counted} urgent={urgent} />}
      {shown && iconOnly && (
        <span
          aria-hidden
          className={cn('absolute top-1 right-1 size-2 rounded-full ring-2 ring-bg', urgent ? 'bg-waiting' : 'bg-running')}
        />
      )}
    </Link>
  );
  return iconOnly ? (
    <Tooltip side="right" text={shown ? `${entry.label}: ${countText(count)} ${counted}` : entry.label} {...keysOf(entry)}>
      {link}
    </Tooltip>
  ) : (
    link
  );
}

function keysOf({ key }: NavEntry): { readonly keys?: string } {
  return key === undefined ? {} : { keys: `g ${key}` };
}

interface CountProps {
  readonly count: NavCount;
  readonly counted: string;
  readonly urgent: boolean;
}

function Count({ count, counted, urgent }: CountProps) {
  return (
    <span className={cn('text-xs tabular-nums', urgent ? 'rounded-full bg-waiting-soft px-1.5 font-semibold text-waiting' : 'text-faint')}>
      {countText(count)}
      <span className="sr-only"> {counted}</span>
    </span>
  );
}
