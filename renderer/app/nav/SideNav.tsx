// Groups of the navigation, with counts of waiting approvals and running runs.
import { useRouterState } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { NAV_CLOSED_GROUPS } from '../../preferences/preferences.ts';
import { usePreference } from '../../preferences/use-preferences.ts';
import { cn } from '../../ui/cn.ts';
import { currentEntry, type NavGroup } from './nav-model.ts';
import { NavLink } from './NavLink.tsx';
import type { NavCounts } from './use-nav-counts.ts';

export interface SideNavProps {
  readonly groups: readonly NavGroup[];
  readonly counts: NavCounts;
  readonly iconOnly: boolean;
  /** Called after a click on a link, so that a drawer can close. */
  readonly onFollow?: () => void;
}

export function SideNav({ groups, counts, iconOnly, onFollow }: SideNavProps) {
  const current = useRouterState({ select: (state) => currentEntry(groups, state.location.pathname)?.id });
  const [closed, setClosed] = usePreference(NAV_CLOSED_GROUPS);
  const toggle = (id: string) => setClosed((all) => (all.includes(id) ? all.filter((each) => each !== id) : [...all, id]));
  return (
    <nav aria-label="Main" className={cn('flex min-h-full flex-col px-2', iconOnly ? 'items-center gap-2' : 'gap-3')}>
      {groups.map((group) => (
        <Group
          key={group.id}
          group={group}
          current={current}
          counts={counts}
          iconOnly={iconOnly}
          closed={!iconOnly && group.label !== undefined && closed.includes(group.id)}
          onToggle={() => toggle(group.id)}
          onFollow={onFollow}
        />
      ))}
    </nav>
  );
}

interface GroupProps {
  readonly group: NavGroup;
  readonly current: string | undefined;
  readonly counts: NavCounts;
  readonly iconOnly: boolean;
  readonly closed: boolean;
  readonly onToggle: () => void;
  readonly onFollow: (() => void) | undefined;
}

function Group({ group, current, counts, iconOnly, closed, onToggle, onFollow }: GroupProps) {
  const id = useId();
  return (
    <div
      className={cn(
        // Settings stay in reach of low screens.
        'last:sticky last:bottom-0 last:mt-auto last:bg-bg last:pb-2',
        iconOnly && 'border-t border-border/60 pt-2 first:border-0 first:pt-0',
        group.label === undefined && 'last:pt-3',
      )}
    >
      {!iconOnly && group.label !== undefined && (
        <button
          type="button"
          aria-expanded={!closed}
          aria-controls={id}
          onClick={onToggle}
          className="group mb-0.5 flex h-6 w-full items-center gap-1 rounded-md px-2 text-xs font-medium text-faint hover:text-text"
        >
          {group.label}
          <ChevronDown
            aria-hidden
            className={cn(
              'size-3 transition-transform',
              closed ? '-rotate-90' : 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100',
            )}
          />
        </button>
      )}
      <ul id={id} aria-label={group.label} hidden={closed} className={cn('flex flex-col gap-px', closed && 'hidden')}>
        {group.entries.map((entry) => (
          <li key={entry.id}>
            <NavLink entry={entry} current={entry.id === current} {...countOf(entry.id, counts)} iconOnly={iconOnly} onFollow={onFollow} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function countOf(id: string, { waiting, running }: NavCounts) {
  if (id === 'inbox') return { count: waiting, counted: 'waiting', urgent: true };
  return id === 'runs' ? { count: running, counted: 'running' } : {};
}
