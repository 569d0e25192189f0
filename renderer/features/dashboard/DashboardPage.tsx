// What needs a person now, what runs, and how it went lately.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function DashboardPage() {
  return <PageHeader title="Dashboard" />;
}
