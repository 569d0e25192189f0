// Preferences of the person, tokens of the server, and what the server is.
import { usePageTitle } from '../../navigation/page-title.ts';
import { choiceParam, useSearchState } from '../../navigation/search-state.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { AboutTab } from './AboutTab.tsx';
import { AppearanceTab } from './AppearanceTab.tsx';
import { NotificationsTab } from './NotificationsTab.tsx';
import { ShortcutsTab } from './ShortcutsTab.tsx';
import { TokensTab } from './TokensTab.tsx';

const PARAMS = { tab: choiceParam(['appearance', 'notifications', 'shortcuts', 'tokens', 'about']) };

export function SettingsPage() {
  usePageTitle('Settings');
  const [{ tab }, setState] = useSearchState(PARAMS);
  return (
    <>
      <PageHeader title="Settings" meta="What you set here is kept by the server for you, wherever you sign in." />
      <Tabs
        label="Settings"
        value={tab}
        onChange={(next) => setState({ tab: next }, { push: true })}
        tabs={[
          { value: 'appearance', label: 'Appearance', content: <AppearanceTab /> },
          { value: 'notifications', label: 'Notifications', content: <NotificationsTab /> },
          { value: 'shortcuts', label: 'Shortcuts', content: <ShortcutsTab /> },
          { value: 'tokens', label: 'API tokens', content: <TokensTab /> },
          { value: 'about', label: 'About', content: <AboutTab /> },
        ]}
      />
    </>
  );
}
