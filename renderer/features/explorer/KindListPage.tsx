// The objects of a kind.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function KindListPage() {
  return <PageHeader title="Resources" />;
}
