// Who runs the tasks, and how busy they are.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function WorkersPage() {
  return <PageHeader title="Workers" />;
}
