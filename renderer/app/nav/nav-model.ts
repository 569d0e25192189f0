// What stands in the navigation and in which order: fixed pages among the kinds of each area. Pure.
import { KIND_AREAS_IN_NAV } from './nav-areas.ts';
import type { KindSummary } from '../../kinds/kind-summary.ts';
import { pageAddress, kindAddress, type Page } from '../../navigation/addresses.ts';
import { kindsTitle } from '../../kinds/kind-titles.ts';

export interface NavEntry {
  /** The last segment of its address, which says whether one is there. */
  readonly id: string;
  readonly label: string;
  readonly href: string;
  /** The kind whose objects are counted beside it, and whose icon it has. */
  readonly kind?: string;
  readonly page?: Page;
}

export interface NavGroup {
  readonly id: string;
  readonly label: string;
  readonly entries: readonly NavEntry[];
}

/** Fixed pages of an area, before and after its kinds. */
const BEFORE: Readonly<Record<string, readonly Page[]>> = { work: ['dashboard', 'inbox'] };
const AFTER: Readonly<Record<string, readonly Page[]>> = { govern: ['simulator'], platform: ['events', 'capabilities', 'settings'] };

const PAGE_LABELS: Readonly<Partial<Record<Page, string>>> = {
  dashboard: 'Dashboard',
  inbox: 'Inbox',
  simulator: 'Simulator',
  events: 'Events',
  capabilities: 'Capabilities',
  settings: 'Settings',
};

/** Approvals are decided in the inbox; a list of each kind beside it would only be a second way. */
const IN_INBOX: ReadonlySet<string> = new Set(['tool-approvals', 'task-approvals']);
/** Where what is composed of others comes first; elsewhere the order in which they can be applied. */
const COMPOSED_FIRST: ReadonlySet<string> = new Set(['design', 'govern']);

/** The groups of the navigation for a namespace, `-` for all. */
export function navGroups(kinds: readonly KindSummary[], scope: string): NavGroup[] {
  return KIND_AREAS_IN_NAV.map(({ id, label }) => {
    const own = kinds.filter((kind) => kind.area === id && !IN_INBOX.has(kind.plural));
    const ordered = COMPOSED_FIRST.has(id) ? own.toReversed() : own;
    const page = (each: Page): NavEntry => ({ id: each, label: PAGE_LABELS[each] ?? each, href: pageAddress(scope, each), page: each });
    const kindEntries = ordered.map((kind): NavEntry => ({
      id: kind.plural,
      label: kindsTitle(kind),
      href: kindAddress(scope, kind.kind),
      kind: kind.kind,
    }));
    return { id, label, entries: [...(BEFORE[id] ?? []).map(page), ...kindEntries, ...(AFTER[id] ?? []).map(page)] };
  });
}

/** The entry that the address belongs to: its list, one of its objects, or making one. */
export function currentEntry(pathname: string): string | undefined {
  const [, n, , section, name] = pathname.split('/');
  if (n !== 'n') return undefined;
  if (section === 'new') return name;
  return section === 'compare' ? 'tasks' : section;
}
