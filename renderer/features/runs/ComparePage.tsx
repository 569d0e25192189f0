// Two runs side by side.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function ComparePage() {
  return <PageHeader title="Compare runs" />;
}
