// What governance would say of a call.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function SimulatorPage() {
  return <PageHeader title="Simulator" />;
}
