// What this server can do.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function CapabilitiesPage() {
  return <PageHeader title="Capabilities" />;
}
