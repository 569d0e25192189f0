// The column of the navigation on wide screens; folds to icons.
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { cn } from '../../ui/cn.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Link } from '../../ui/Link.tsx';
import { NAV_COLLAPSED } from '../../preferences/preferences.ts';
import { useShortcutKeysOf } from '../../shortcuts/ShortcutKeys.tsx';
import { useShortcut } from '../../shortcuts/use-shortcut.ts';
import { usePreference } from '../../preferences/use-preferences.ts';
import { Wordmark } from '../Wordmark.tsx';
import { SideNav } from './SideNav.tsx';
import type { NavCounts } from './use-nav-counts.ts';

export function NavColumn({ counts }: { readonly counts: NavCounts }) {
  const [collapsed, setCollapsed] = usePreference(NAV_COLLAPSED);
  const toggle = () => setCollapsed(!collapsed);
  const keys = useShortcutKeysOf('nav.toggle', '[');
  useShortcut({
    id: 'nav.toggle',
    keys: '[',
    label: collapsed ? 'Widen the navigation' : 'Narrow the navigation',
    group: 'Everywhere',
    run: toggle,
  });
  return (
    <div className={cn('flex shrink-0 flex-col border-r border-border bg-bg max-lg:hidden', collapsed ? 'w-12' : 'w-56')}>
      <nav aria-label="Home" className={cn('flex h-12 shrink-0 items-center', collapsed ? 'justify-center' : 'pr-2 pl-4')}>
        <Link href="/" look="bare" aria-label="Orchestration, dashboard" className="flex-1">
          <Wordmark markOnly={collapsed} className={cn(collapsed && 'flex justify-center')} />
        </Link>
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto pt-1">
        <SideNav counts={counts} iconOnly={collapsed} />
      </div>
      <div className={cn('flex shrink-0 border-t border-border p-2', collapsed && 'justify-center px-0')}>
        <IconButton
          size="sm"
          label={collapsed ? 'Widen the navigation' : 'Narrow the navigation'}
          {...(keys !== undefined && { shortcut: keys })}
          icon={collapsed ? <PanelLeftOpen /> : <PanelLeftClose />}
          onClick={toggle}
        />
      </div>
    </div>
  );
}
