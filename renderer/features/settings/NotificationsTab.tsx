// Settings of notifications outside of the console's tab.
import { Card } from '../../ui/layout/Card.tsx';
import { NotifyButton } from '../approvals/parts/NotifyButton.tsx';
import { SettingRow } from './SettingRow.tsx';

export function NotificationsTab() {
  return (
    <div className="max-w-3xl p-6 max-sm:p-4">
      <Card flush>
        <SettingRow
          title="Approvals"
          text="This browser notifies you of new approvals while you are elsewhere: who requests which tool, and until when. Inputs are never shown. The console has to be open in a tab."
        >
          <NotifyButton />
        </SettingRow>
        <SettingRow title="In the tab’s title" text="The number of pending approvals is always shown.">
          <span className="font-mono text-sm text-muted">(3) Inbox</span>
        </SettingRow>
      </Card>
    </div>
  );
}
