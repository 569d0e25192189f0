// The navigation beside the page: a full column on wide screens, a rail of icons on medium ones, absent on narrow ones.
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { NAV_COLLAPSED, NAV_RAIL_EXPANDED } from '../../preferences/preferences.ts';
import { usePreference } from '../../preferences/use-preferences.ts';
import { useShortcutKeysOf } from '../../shortcuts/ShortcutKeys.tsx';
import { useShortcut } from '../../shortcuts/use-shortcut.ts';
import { cn } from '../../ui/cn.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { useMedia } from '../../ui/layout/use-media.ts';
import { Wordmark } from '../Wordmark.tsx';
import type { NavGroup } from './nav-model.ts';
import { SideNav } from './SideNav.tsx';
import type { NavCounts } from './use-nav-counts.ts';

const WIDE = '(min-width: 75rem)';

/** Whether only icons are shown, and its toggle. Wide and medium screens remember it separately. */
function useIconOnly() {
  const wide = useMedia(WIDE);
  const [collapsed, setCollapsed] = usePreference(NAV_COLLAPSED);
  const [expanded, setExpanded] = usePreference(NAV_RAIL_EXPANDED);
  return {
    iconOnly: wide ? collapsed : !expanded,
    toggle: () => (wide ? setCollapsed(!collapsed) : setExpanded(!expanded)),
  };
}

export interface NavColumnProps {
  readonly groups: readonly NavGroup[];
  readonly counts: NavCounts;
}

export function NavColumn({ groups, counts }: NavColumnProps) {
  const { iconOnly, toggle } = useIconOnly();
  const keys = useShortcutKeysOf('nav.toggle', '[');
  const label = iconOnly ? 'Expand sidebar' : 'Collapse sidebar';
  useShortcut({ id: 'nav.toggle', keys: '[', label, group: 'Everywhere', run: toggle });
  return (
    <div className={cn('flex shrink-0 flex-col border-r border-border bg-bg max-md:hidden print:hidden', iconOnly ? 'w-13' : 'w-52')}>
      <nav aria-label="Home" className={cn('flex h-12 shrink-0 items-center', iconOnly ? 'justify-center' : 'pr-2 pl-4')}>
        <Link href="/" look="bare" aria-label="Orchestration, home" className="flex-1">
          <Wordmark markOnly={iconOnly} className={cn(iconOnly && 'flex justify-center')} />
        </Link>
      </nav>
      {/* A scroll bar would cover half of the icons. */}
      <div className={cn('min-h-0 flex-1 scroll-pb-14 overflow-y-auto pt-1', iconOnly && '[scrollbar-width:none]')}>
        <SideNav groups={groups} counts={counts} iconOnly={iconOnly} />
      </div>
      <div className={cn('flex shrink-0 border-t border-border p-2', iconOnly && 'justify-center px-0')}>
        <IconButton
          size="sm"
          label={label}
          {...(keys !== undefined && { shortcut: keys })}
          icon={iconOnly ? <PanelLeftOpen /> : <PanelLeftClose />}
          onClick={toggle}
        />
      </div>
    </div>
  );
}
