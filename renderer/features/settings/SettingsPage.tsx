// Preferences, tokens and this server.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function SettingsPage() {
  return <PageHeader title="Settings" />;
}
