// Entries of the navigation, their groups, and the addresses that belong to each. Pure.
import type { KindArea } from '@svc/shared/kinds/define';
import type { KindSummary } from '../../kinds/kind-summary.ts';
import { kindsTitle } from '../../kinds/kind-titles.ts';
import { kindAddress, pageAddress, type Page } from '../../navigation/addresses.ts';

/** One page of an entry: the list of a kind, or a page of its own. */
interface NavTab {
  /** The segment after the namespace in its address. */
  readonly section: string;
  readonly label: string;
  readonly href: string;
  readonly kind?: string;
}

export interface NavEntry {
  readonly id: string;
  readonly label: string;
  /** The address of its first tab. */
  readonly href: string;
  /** Second key of its shortcut, after `g`. */
  readonly key?: string;
  /** Present when several kinds or pages share the entry. */
  readonly tabs: readonly NavTab[];
}

export interface NavGroup {
  readonly id: string;
  /** Absent for the first and the last group, which have no heading. */
  readonly label?: string;
  readonly entries: readonly NavEntry[];
}

interface EntryPlan {
  readonly id: string;
  readonly label: string;
  readonly key?: string;
  /** Kinds of this area are its tabs. */
  readonly area?: KindArea;
  /** Kind of the first tab, if it is not the last of the area in dependency order. */
  readonly main?: string;
  /** Pages before and after the kinds. */
  readonly first?: readonly Page[];
  readonly last?: readonly Page[];
}

interface GroupPlan {
  readonly id: string;
  readonly label?: string;
  readonly entries: readonly EntryPlan[];
}

const PLAN: readonly GroupPlan[] = [
  {
    id: 'daily',
    entries: [
      { id: 'home', label: 'Home', key: 'h', first: ['dashboard'] },
      { id: 'inbox', label: 'Inbox', key: 'i', first: ['inbox'] },
      { id: 'runs', label: 'Runs', key: 'r', area: 'runs' },
      { id: 'sessions', label: 'Sessions', key: 'c', area: 'sessions' },
    ],
  },
  {
    id: 'build',
    label: 'Build',
    entries: [
      { id: 'systems', label: 'Systems', key: 's', area: 'systems', last: ['a2a'] },
      { id: 'agents', label: 'Agents', key: 'a', area: 'agents' },
      { id: 'experiments', label: 'Experiments', area: 'experiments' },
      { id: 'models', label: 'Models', key: 'm', area: 'models' },
      { id: 'tools', label: 'Tools', key: 't', area: 'tools' },
      { id: 'memory', label: 'Memory', area: 'memory' },
      { id: 'triggers', label: 'Triggers', area: 'triggers' },
    ],
  },
  {
    id: 'govern',
    label: 'Govern',
    entries: [
      { id: 'access', label: 'Access', key: 'p', area: 'access', first: ['simulator'], last: ['tokens', 'users'] },
      { id: 'secrets', label: 'Secrets', area: 'secrets', main: 'Secret' },
    ],
  },
  {
    id: 'operate',
    label: 'Operate',
    entries: [
      { id: 'workers', label: 'Workers', key: 'w', area: 'workers' },
      { id: 'events', label: 'Events', key: 'e', first: ['events'] },
      { id: 'server', label: 'Server', key: 'v', first: ['capabilities'] },
    ],
  },
  { id: 'settings', entries: [{ id: 'settings', label: 'Settings', key: ',', first: ['settings'] }] },
];

/** Names of pages that are tabs beside others. */
const PAGE_LABELS: Readonly<Partial<Record<Page, string>>> = {
  simulator: 'Simulator',
  tokens: 'API tokens',
  users: 'Users',
  a2a: 'A2A agents',
};

/** The groups of the navigation for a namespace, `-` for all. */
export function navGroups(kinds: readonly KindSummary[], scope: string): NavGroup[] {
  return PLAN.map(({ entries, ...group }) => ({
    ...group,
    entries: entries.flatMap((plan) => entryOf(plan, kinds, scope) ?? []),
  })).filter(({ entries }) => entries.length > 0);
}

function entryOf(plan: EntryPlan, kinds: readonly KindSummary[], scope: string): NavEntry | undefined {
  const { id, label, key, area, main, first = [], last = [] } = plan;
  const page = (each: Page): NavTab => ({ section: each, label: PAGE_LABELS[each] ?? label, href: pageAddress(scope, each) });
  // Kinds are listed in dependency order; people look for the composed ones first.
  const own = kinds
    .filter((kind) => kind.area === area)
    .toReversed()
    .toSorted((a, b) => Number(b.kind === main) - Number(a.kind === main));
  const tabs = [
    ...first.map(page),
    ...own.map((kind): NavTab => ({
      section: kind.plural,
      label: kindsTitle(kind),
      href: kindAddress(scope, kind.kind),
      kind: kind.kind,
    })),
    ...last.map(page),
  ];
  return tabs[0] && { id, label, href: tabs[0].href, ...(key !== undefined && { key }), tabs };
}

/** Sections that show part of another section. */
const PART_OF: Readonly<Record<string, string>> = { compare: 'tasks', chat: 'sessions', experiment: 'experiments', account: 'settings' };

/** The segment of an address that names its page: a list, one of its objects, or making one. */
export function sectionOf(pathname: string): string | undefined {
  const [, n, , section, name] = pathname.split('/');
  if (n !== 'n' || section === undefined) return undefined;
  return section === 'new' ? name : (PART_OF[section] ?? section);
}

/** The entry that an address belongs to. */
export function currentEntry(groups: readonly NavGroup[], pathname: string): NavEntry | undefined {
  const section = sectionOf(pathname);
  return groups.flatMap(({ entries }) => entries).find(({ tabs }) => tabs.some((tab) => tab.section === section));
}
