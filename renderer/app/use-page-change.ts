// Effects of a change of page: records the namespace and the object as recent, announces the new title, keeps the focus.
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { kindOfPlural, kindTable } from '../kinds/kind-table.ts';
import { kindsTitle } from '../kinds/kind-titles.ts';
import { announce } from '../ui/feedback/announcer.ts';
import { ALL_NAMESPACES, decodeSegment, type ObjectRef } from '../navigation/addresses.ts';
import { rememberNamespace } from '../navigation/last-namespace.ts';
import { rememberRecent } from '../navigation/recents.ts';
import { currentEntry, navGroups, sectionOf } from './nav/nav-model.ts';
import { setFallbackTitle, useCurrentTitle } from '../navigation/page-title.ts';

/** The object that an address names; undefined for other pages. Pure. */
export function objectAt(pathname: string): ObjectRef | undefined {
  const [, n, namespace, plural, name, rest] = pathname.split('/');
  const kind = n === 'n' && plural !== undefined ? kindOfPlural(plural) : undefined;
  if (!kind || !namespace || !name || rest !== undefined || namespace === ALL_NAMESPACES) return undefined;
  return { kind: kind.kind, namespace: decodeSegment(namespace), name: decodeSegment(name) };
}

/** The list or page that an address belongs to, as words. Pure. */
export function areaTitle(pathname: string): string {
  const section = sectionOf(pathname);
  const entry = currentEntry(navGroups(kindTable, ALL_NAMESPACES), pathname);
  const kind = kindOfPlural(section ?? '');
  if (!entry) return kind ? kindsTitle(kind) : '';
  return entry.tabs.length === 1 ? entry.label : (entry.tabs.find((tab) => tab.section === section)?.label ?? entry.label);
}

/** Title of a page that sets none: `nightly · Runs`, `Runs`. Pure. */
export function titleAt(pathname: string): string {
  const object = objectAt(pathname);
  const area = areaTitle(pathname);
  return object ? `${object.name} · ${area}` : area;
}

export function usePageChange(): void {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const title = useCurrentTitle();
  const first = useRef(true);
  useEffect(() => {
    const namespace = /^\/n\/([^/]+)/.exec(pathname)?.[1];
    if (namespace !== undefined && namespace !== ALL_NAMESPACES) rememberNamespace(namespace);
    setFallbackTitle(titleAt(pathname));
    const object = objectAt(pathname);
    if (object) rememberRecent(object);
  }, [pathname]);
  useEffect(() => {
    // No page is shown yet: the code of the first one is loading.
    if (shown === undefined) return;
    // The removed page held the focus.
    if (first.current) first.current = false;
    else if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [shown]);
  useEffect(() => {
    if (title !== '') announce(title);
  }, [title]);
}
