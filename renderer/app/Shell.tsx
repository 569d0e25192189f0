// The frame around every page: navigation, top bar, banners, palette, shortcuts, live data.
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { LiveProvider } from '../live/use-live.ts';
import { LiveRegion } from '../ui/LiveRegion.tsx';
import { SkipLink } from '../ui/SkipLink.tsx';
import { useAppearance } from './appearance.ts';
import { NavColumn } from './nav/NavColumn.tsx';
import { useNavCounts } from './nav/use-nav-counts.ts';
import { setPendingInTitle } from './page-title.ts';
import { useScope } from './scope.ts';
import { ConnectionBanner } from './session/ConnectionBanner.tsx';
import { followNetwork } from './session/network-events.ts';
import { SessionGate } from './session/SessionGate.tsx';
import { UpdateBanner } from './session/UpdateBanner.tsx';
import { useGlobalShortcuts } from './shortcuts/use-global-shortcuts.ts';
import { useShortcutKeys } from './shortcuts/use-shortcut-keys.ts';
import { TopBar } from './topbar/TopBar.tsx';
import { usePageChange } from './use-page-change.ts';

const NavDrawer = lazy(() => import('./nav/NavDrawer.tsx').then((module) => ({ default: module.NavDrawer })));
const CommandPalette = lazy(() => import('./palette/CommandPalette.tsx').then((module) => ({ default: module.CommandPalette })));
const ShortcutSheet = lazy(() => import('./shortcuts/ShortcutSheet.tsx').then((module) => ({ default: module.ShortcutSheet })));
const ApprovalNotifier = lazy(() =>
  import('../features/approvals/ApprovalNotifier.tsx').then((module) => ({ default: module.ApprovalNotifier })),
);
const Toaster = lazy(() => import('../ui/Toaster.tsx').then((module) => ({ default: module.Toaster })));

export function Shell() {
  useEffect(followNetwork, []);
  return (
    <>
      <SessionGate>
        <Frame />
      </SessionGate>
      <LiveRegion />
    </>
  );
}

function Frame() {
  useAppearance();
  useShortcutKeys();
  usePageChange();
  const { namespace } = useScope();
  const counts = useNavCounts(namespace);
  const [palette, setPalette] = useState<string>();
  const [sheet, setSheet] = useState(false);
  const [drawer, setDrawer] = useState(false);
  useGlobalShortcuts({ openPalette: setPalette, openSheet: () => setSheet(true) });
  const waiting = counts.waiting?.count ?? 0;
  useEffect(() => setPendingInTitle(waiting), [waiting]);
  return (
    <LiveProvider namespace={namespace}>
      <SkipLink />
      <div className="flex h-dvh min-h-0 bg-bg">
        <NavColumn counts={counts} />
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar waiting={counts.waiting} onPalette={setPalette} onShortcuts={() => setSheet(true)} onNavigation={() => setDrawer(true)} />
          <ConnectionBanner />
          <UpdateBanner />
          <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col overflow-y-auto focus-visible:outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <Suspense>
        {drawer && <NavDrawer onClose={() => setDrawer(false)} counts={counts} />}
        {palette !== undefined && <CommandPalette initialText={palette} onClose={() => setPalette(undefined)} />}
        {sheet && <ShortcutSheet onClose={() => setSheet(false)} />}
        <ApprovalNotifier />
        <Toaster />
      </Suspense>
    </LiveProvider>
  );
}
