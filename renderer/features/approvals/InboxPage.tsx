// Approvals that wait for a person, and the decisions that were taken.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function InboxPage() {
  return <PageHeader title="Inbox" />;
}
