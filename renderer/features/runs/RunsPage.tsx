// The list of runs.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function RunsPage() {
  return <PageHeader title="Tasks" />;
}
