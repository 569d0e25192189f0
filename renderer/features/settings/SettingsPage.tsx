// Preferences of the person and facts about the server.
import { useEffect } from 'react';
import { native } from '../../native/native.ts';
import { pageAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { choiceParam, useSearchState } from '../../navigation/search-state.ts';
import { useNavigation } from '../../ui/link/navigation.ts';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { Tabs } from '../../ui/layout/Tabs.tsx';
import { AboutTab } from './AboutTab.tsx';
import { AppearanceTab } from './AppearanceTab.tsx';
import { NotificationsTab } from './NotificationsTab.tsx';
import { DesktopTab } from './DesktopTab.tsx';
import { ShortcutsTab } from './ShortcutsTab.tsx';

const TABS = choiceParam(['appearance', 'notifications', 'desktop', 'shortcuts', 'about']);
/** `tokens` was a tab of this page; old links redirect to the page of tokens. */
const PARAMS = { tab: { ...TABS, read: (values: readonly string[]) => (values[0] === 'tokens' ? 'tokens' : TABS.read(values)) } };

export function SettingsPage() {
  usePageTitle('Settings');
  const [{ tab }, setState] = useSearchState(PARAMS);
  const { scope } = useScope();
  const { go } = useNavigation();
  const moved = tab === 'tokens';
  useEffect(() => {
    if (moved) go(pageAddress(scope, 'tokens'), { replace: true });
  }, [moved, go, scope]);
  if (moved) return null;
  return (
    <>
      <PageHeader title="Settings" meta="Saved to your account." />
      <Tabs
        label="Settings"
        value={shownTab(tab)}
        onChange={(next) => setState({ tab: next }, { push: true })}
        tabs={[
          { value: 'appearance', label: 'Appearance', content: <AppearanceTab /> },
          native.desktop
            ? { value: 'desktop', label: 'Desktop app', content: <DesktopTab desktop={native.desktop} /> }
            : { value: 'notifications', label: 'Notifications', content: <NotificationsTab /> },
          { value: 'shortcuts', label: 'Shortcuts', content: <ShortcutsTab /> },
          { value: 'about', label: 'About', content: <AboutTab /> },
        ]}
      />
    </>
  );
}

/** A link from the desktop app opened in a browser, or the other way round, leads to the tab in the same place. */
function shownTab<Tab extends string>(tab: Tab): Tab | 'desktop' | 'notifications' {
  if (tab !== 'desktop' && tab !== 'notifications') return tab;
  return native.desktop ? 'desktop' : 'notifications';
}
