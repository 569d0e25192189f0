// One object of any kind.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function ObjectPage() {
  return <PageHeader title="Resource" />;
}
