// The frame around every page: navigation, top bar, banners, palette, shortcuts, live data.
import { Outlet } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { LiveProvider } from '../live/use-live.ts';
import { useBeside } from '../inspector/covered.ts';
import { useInspected, useInspector } from '../inspector/inspector-context.ts';
import { InspectorProvider } from '../inspector/InspectorProvider.tsx';
import { LiveRegion } from '../ui/feedback/LiveRegion.tsx';
import { SkipLink } from '../ui/layout/SkipLink.tsx';
import { useAppearance } from '../preferences/appearance.ts';
import { DesktopBanner } from './DesktopBanner.tsx';
import { useDock } from '../features/terminal/model/dock.ts';
import { useTerminalsOffered } from '../features/terminal/model/use-terminals-offered.ts';
import { LazyBoundary } from './LazyBoundary.tsx';
import { PartNotLoaded } from './PartNotLoaded.tsx';
import { lazyPart, PartFailure } from '../ui/lazy-part.ts';
import { kindTable } from '../kinds/kind-table.ts';
import { AreaTabs } from './nav/AreaTabs.tsx';
import { GoShortcuts } from './nav/GoShortcuts.tsx';
import { navGroups } from './nav/nav-model.ts';
import { NavColumn } from './nav/NavColumn.tsx';
import { useNavCounts } from './nav/use-nav-counts.ts';
import { native } from '../native/native.ts';
import { setPendingInTitle } from '../navigation/page-title.ts';
import { useScope } from '../navigation/scope.ts';
import { ConnectionBanner } from './sign-in/ConnectionBanner.tsx';
import { followNetwork } from './sign-in/network-events.ts';
import { ProfileGate } from './sign-in/ProfileGate.tsx';
import { SignInGate } from './sign-in/SignInGate.tsx';
import { UpdateBanner } from './sign-in/UpdateBanner.tsx';
import { useStale } from './sign-in/use-stale.ts';
import { TypedAhead } from './palette/TypedAhead.tsx';
import { useGlobalShortcuts } from './shortcuts/use-global-shortcuts.ts';
import { useShortcutKeys } from '../shortcuts/use-shortcut-keys.ts';
import { TopBar } from './topbar/TopBar.tsx';
import { useDesktopEvents } from './use-desktop-events.ts';
import { useFocusKept } from './use-focus-kept.ts';
import { usePageChange } from './use-page-change.ts';
import { usePreferencesOfOtherTabs } from '../preferences/use-preferences.ts';

const NavDrawer = lazyPart(async () => (await import('./nav/NavDrawer.tsx')).NavDrawer);
const CommandPalette = lazyPart(async () => (await import('./palette/CommandPalette.tsx')).CommandPalette);
const ShortcutSheet = lazyPart(async () => (await import('./shortcuts/ShortcutSheet.tsx')).ShortcutSheet);
const PeekPanel = lazyPart(async () => (await import('../features/peek/PeekPanel.tsx')).PeekPanel);
const ApprovalNotifier = lazyPart(async () => (await import('../features/approvals/notices/ApprovalNotifier.tsx')).ApprovalNotifier);
const TerminalDock = lazyPart(async () => (await import('../features/terminal/TerminalDock.tsx')).TerminalDock);
const Toaster = lazyPart(async () => (await import('../ui/overlay/Toaster.tsx')).Toaster);

export function Shell() {
  useEffect(followNetwork, []);
  return (
    <>
      <ProfileGate>
        <SignInGate>
          <InspectorProvider>
            <PartFailure value={PartNotLoaded}>
              <Frame />
            </PartFailure>
          </InspectorProvider>
        </SignInGate>
      </ProfileGate>
      <LiveRegion />
    </>
  );
}

function Frame() {
  usePreferencesOfOtherTabs();
  useAppearance();
  useShortcutKeys();
  usePageChange();
  useFocusKept();
  useDesktopEvents();
  const { scope, namespace } = useScope();
  const groups = useMemo(() => navGroups(kindTable, scope), [scope]);
  const counts = useNavCounts(namespace);
  const [palette, setPalette] = useState<string>();
  const [sheet, setSheet] = useState(false);
  const [drawer, setDrawer] = useState(false);
  const closePalette = () => setPalette(undefined);
  const closeSheet = () => setSheet(false);
  const closeDrawer = () => setDrawer(false);
  useGlobalShortcuts({ openPalette: setPalette, openSheet: () => setSheet(true) });
  const inspector = useInspector();
  const inspecting = useInspected().peek !== undefined;
  // On narrow screens the inspector covers the page.
  const covered = !useBeside() && inspecting;
  const waiting = counts.waiting?.count ?? 0;
  useEffect(() => setPendingInTitle(waiting), [waiting]);
  return (
    <LiveProvider namespace={namespace}>
      <SkipLink />
      <div className="flex h-dvh min-h-0 bg-bg">
        <GoShortcuts groups={groups} />
        <NavColumn groups={groups} counts={counts} />
        <div inert={covered} className="flex min-w-0 flex-1 flex-col">
          <TopBar waiting={counts.waiting} onPalette={setPalette} onShortcuts={() => setSheet(true)} onNavigation={() => setDrawer(true)} />
          <ConnectionBanner />
          <UpdateBanner />
          <DesktopBanner />
          <AreaTabs groups={groups} />
          <Page />
          <Terminals />
        </div>
        <LazyBoundary named="inspector" open={inspecting} onClose={inspector?.close}>
          <PeekPanel />
        </LazyBoundary>
      </div>
      <LazyBoundary named="navigation" open={drawer} onClose={closeDrawer}>
        <NavDrawer onClose={closeDrawer} groups={groups} counts={counts} />
      </LazyBoundary>
      <LazyBoundary
        named="command palette"
        open={palette !== undefined}
        onClose={closePalette}
        pending={<TypedAhead onText={(change) => setPalette((text = '') => change(text))} onClose={closePalette} />}
      >
        <CommandPalette initialText={palette ?? ''} onClose={closePalette} />
      </LazyBoundary>
      <LazyBoundary named="list of shortcuts" open={sheet} onClose={closeSheet}>
        <ShortcutSheet onClose={closeSheet} />
      </LazyBoundary>
      {/* The desktop app notifies by itself, also without a page. */}
      <LazyBoundary named="notifier of approvals" open={native.desktop === undefined}>
        <ApprovalNotifier />
      </LazyBoundary>
      <LazyBoundary named="list of messages" open>
        <Toaster />
      </LazyBoundary>
    </LiveProvider>
  );
}

/** Its code is loaded when the first terminal opens; hidden ones stay. */
function Terminals() {
  const { tabs } = useDock();
  const offered = useTerminalsOffered();
  return (
    <LazyBoundary named="dock of terminals" open={offered && tabs.length > 0}>
      <TerminalDock />
    </LazyBoundary>
  );
}

/** Marks data that may be stale. */
function Page() {
  const stale = useStale();
  return (
    <main
      id="main"
      tabIndex={-1}
      data-stale={stale || undefined}
      className="relative flex min-h-0 flex-1 flex-col overflow-y-auto transition-opacity focus-visible:outline-none data-stale:opacity-75"
    >
      <Outlet />
    </main>
  );
}
