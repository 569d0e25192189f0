// One run: what it did, does and waits for.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function RunPage() {
  return <PageHeader title="Task" />;
}
