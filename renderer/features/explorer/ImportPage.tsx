// Applying several documents at once.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function ImportPage() {
  return <PageHeader title="Import" />;
}
