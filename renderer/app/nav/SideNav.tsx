// The navigation at the left: groups that fold, live counts, approvals that wait.
import { useRouterState } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useId, useMemo } from 'react';
import { kindTable } from '../../kinds/kind-table.ts';
import { cn } from '../../ui/cn.ts';
import { NAV_CLOSED_GROUPS } from '../../preferences/preferences.ts';
import { useScope } from '../../navigation/scope.ts';
import { usePreference } from '../../preferences/use-preferences.ts';
import { currentEntry, navGroups, type NavGroup } from './nav-model.ts';
import { NavLink } from './NavLink.tsx';
import type { NavCounts } from './use-nav-counts.ts';

export interface SideNavProps {
  readonly counts: NavCounts;
  readonly iconOnly: boolean;
  /** Called when a link was followed, so that a drawer can close. */
  readonly onFollow?: () => void;
}

export function SideNav({ counts, iconOnly, onFollow }: SideNavProps) {
  const { scope } = useScope();
  const current = useRouterState({ select: (state) => currentEntry(state.location.pathname) });
  const groups = useMemo(() => navGroups(kindTable, scope), [scope]);
  const [closed, setClosed] = usePreference(NAV_CLOSED_GROUPS);
  const toggle = (id: string) => setClosed(closed.includes(id) ? closed.filter((each) => each !== id) : [...closed, id]);
  return (
    <nav aria-label="Main" className={cn('flex flex-col gap-3 px-2 pb-6', iconOnly && 'items-center')}>
      {groups.map((group) => (
        <Group
          key={group.id}
          group={group}
          current={current}
          counts={counts}
          iconOnly={iconOnly}
          closed={!iconOnly && closed.includes(group.id)}
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
    <div>
      {!iconOnly && (
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
        {group.entries.map((entry) => {
          const inbox = entry.page === 'inbox';
          return (
            <li key={entry.id}>
              <NavLink
                entry={entry}
                current={entry.id === current}
                count={inbox ? counts.waiting : entry.kind === undefined ? undefined : counts.kinds.get(entry.kind)}
                urgent={inbox}
                iconOnly={iconOnly}
                onFollow={onFollow}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
