// Tabs of pages that share one entry of the navigation. Shown above each of these pages, not above their objects.
import { useRouterState } from '@tanstack/react-router';
import { cn } from '../../ui/cn.ts';
import { useTabInView } from '../../ui/layout/use-tab-in-view.ts';
import { Link } from '../../ui/link/Link.tsx';
import { currentEntry, sectionOf, type NavGroup } from './nav-model.ts';

export function AreaTabs({ groups }: { readonly groups: readonly NavGroup[] }) {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const entry = currentEntry(groups, pathname);
  const section = sectionOf(pathname);
  const isDeeper = pathname.split('/').filter((part) => part !== '').length > 3;
  const row = useTabInView<HTMLElement>({
    selector: '[aria-current=page]',
    value: isDeeper ? undefined : section,
    of: entry?.tabs.length ?? 0,
  });
  if (!entry || entry.tabs.length < 2 || isDeeper) return null;
  return (
    <nav ref={row} aria-label={entry.label} className="flex shrink-0 gap-4 overflow-x-auto border-b border-border bg-bg px-6 max-sm:px-4">
      {entry.tabs.map(({ section: each, label, href }) => (
        <Link
          key={each}
          href={href}
          look="bare"
          aria-current={each === section ? 'page' : undefined}
          className={cn(
            'flex h-9 shrink-0 items-center border-b-2 text-base font-medium whitespace-nowrap -outline-offset-2 transition-colors',
            each === section ? 'border-accent text-text' : 'border-transparent text-muted hover:text-text',
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
