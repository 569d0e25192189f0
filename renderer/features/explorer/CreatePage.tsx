// Making a new object.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function CreatePage() {
  return <PageHeader title="Create" />;
}
