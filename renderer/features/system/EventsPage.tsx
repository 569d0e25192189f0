// What happened, in the order in which it did.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function EventsPage() {
  return <PageHeader title="Events" />;
}
